// SPDX-License-Identifier: Apache-2.0
#include "run/sessions/screen.hpp"

#include <vector>

namespace tenon {

double frames_per_second(const Lanes::Pictures& pictures) {
    constexpr double kUsual = 30;
    return pictures.steps_per_second > 0 ? pictures.steps_per_second : kUsual;
}

Result<std::optional<Score>> play_in_turn(Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes,
                                          const std::function<Status(const Lanes&)>& seen, StopAsked stop,
                                          const std::function<void()>& ended) {
    std::vector<double> returns;
    double steps = 0;
    std::int64_t cut_off = 0;
    for (std::int64_t episode = 0; episode < episodes; ++episode) {
        std::optional<Score> played =
            TENON_TRY(evaluator.show(numbers, static_cast<std::uint32_t>(episode), seen, stop));
        if (!played) {
            break;  // it was stopped
        }
        ended();
        returns.push_back(played->return_mean);
        steps += played->length_mean;
        cut_off += played->cut_off;
    }
    Score score = score_of(returns, static_cast<std::int64_t>(steps));
    score.cut_off = cut_off;
    return returns.empty() ? std::nullopt : std::optional(score);
}

Result<std::optional<Score>> show_episodes(Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes,
                                           const Screen& screen, StopAsked stop) {
    const Lanes::Pictures pictures = TENON_TRY(evaluator.lanes().pictures());
    TENON_TRY(screen.begin(pictures));
    std::vector<std::uint8_t> pixels(std::size_t{3} * pictures.height * pictures.width);
    const auto draw = [&](const Lanes& lanes) {
        Status drawn = lanes.draw(0, pixels);
        return drawn ? screen.show(pixels) : drawn;
    };
    return play_in_turn(evaluator, numbers, episodes, draw, stop);
}

Status begin_video(const std::filesystem::path& path, const Lanes::Pictures& pictures, std::optional<VideoFile>& file) {
    file.emplace(TENON_TRY(
        VideoFile::begin(path, {.height = pictures.height, .width = pictures.width}, frames_per_second(pictures))));
    return {};
}

Status film(Evaluator& evaluator, const RunNumbers& numbers, const std::filesystem::path& path,
            std::optional<PictureStrip>* strip) {
    std::optional<VideoFile> file;
    const auto begin = [&](const Lanes::Pictures& pictures) {
        if (strip != nullptr) {
            strip->emplace(FrameSize{.height = pictures.height, .width = pictures.width}, frames_per_second(pictures));
        }
        return begin_video(path, pictures, file);
    };
    const auto show = [&](FramePixels pixels) -> Status {
        if (strip != nullptr) {
            TENON_TRY((*strip)->add(pixels));
        }
        return file->add(pixels);
    };
    const Screen screen{.begin = begin, .show = show};
    TENON_TRY(show_episodes(evaluator, numbers, 1, screen, never_stops));
    return file->finish();
}

}  // namespace tenon
