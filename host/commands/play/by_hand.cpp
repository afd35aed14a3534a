// SPDX-License-Identifier: Apache-2.0
#include "commands/play/by_hand.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "base/random/key.hpp"
#include "config/manifest/manifest.hpp"
#include "experience/env/seeds.hpp"
#include "experience/replay/storage.hpp"
#include "run/start/setup.hpp"
#include "train/collect/make_source.hpp"
#include "train/collect/score.hpp"
#include "train/plan/env_lanes.hpp"

namespace tenon {
namespace {

std::string env_of(const std::string& source) {
    const std::filesystem::path lock = std::filesystem::path(source) / "manifest.lock.toml";
    std::error_code code;
    return std::filesystem::is_regular_file(lock, code) ? lock.string() : source;
}

Result<std::optional<Score>> play(Lanes made, const HandRequest& request, const Hand& hand, const Notice& notice) {
    Controls controls = TENON_TRY(Controls::make(made.specs(), made.name()));
    const Lanes::Pictures pictures = TENON_TRY(made.pictures());
    const std::unique_ptr<FrameSource> source = TENON_TRY(make_source(std::move(made)));
    Lanes& lanes = source->lanes();
    lanes.need_all();
    ScoreSheet sheet;
    std::vector<std::int64_t> episodes(lanes.count());
    episodes.front() = request.episodes;
    sheet.begin(std::move(episodes));
    const auto seed = static_cast<std::uint64_t>(request.seed);
    Status done = source->reset(lane_seeds(make_key(seed, "eval/env"), lanes.count()).data());
    std::vector<std::uint8_t> pixels(std::size_t{3} * pictures.height * pictures.width);
    bool is_end = false;  // pixels show the end of an episode
    lanes.watch_ends([&](std::uint32_t lane) {
        is_end = is_end || lane == 0;
        return lane == 0 ? lanes.draw(lane, pixels) : Status();
    });
    hand.begin(pictures, controls);
    for (std::uint64_t step = 0; done && !sheet.complete();) {
        done = lanes.draw(0, pixels);
        if (!done || !hand.turn(pixels, controls, source->episodes().running(0))) {
            break;
        }
        if (!controls.is_allowed(source->storage())) {
            continue;
        }
        controls.write(source->storage());
        const Result<std::uint32_t> stepped = source->step({.counter = step++});
        done = stepped ? Status() : Status(stepped.error());
        if (Problems warnings = lanes.take_warnings(); done && !warnings.empty()) {
            done = std::move(warnings.front());
        }
        for (const Problem& begun : lanes.take_notices()) {
            notice(render_unlabelled(begun));
        }
        if (done) {
            const std::span<const EndedEpisode> ended = source->episodes().ended();
            const auto own = std::ranges::find(ended, 0u, &EndedEpisode::lane);
            sheet.add(ended);
            if (std::exchange(is_end, false) && own != ended.end() && !hand.turn(pixels, controls, own->episode)) {
                break;
            }
        }
    }
    if (!done) {
        return std::move(done).error();
    }
    const Score score = sheet.score();
    return score.episodes == 0 ? std::nullopt : std::optional(score);
}

}  // namespace

std::optional<Score> play_by_hand(const HandRequest& request, const Hand& hand, const Notice& notice,
                                  Problems& problems) {
    const std::optional<Document> document = env_document(env_of(request.source), 1, request.overrides, problems);
    if (!document) {
        return std::nullopt;
    }
    Manifest manifest = read_env_tables(*document, problems);
    const EnvSetup setup = set_up_env(std::move(manifest), request.plugins, 1, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    const EnvParts& env = setup.parts.training;
    const std::vector<std::uint32_t> one_each(std::max<std::size_t>(env.tasks.size(), 1), 1);
    Result<Lanes> lanes =
        make_lanes(env, {}, one_each, static_cast<std::uint64_t>(request.seed), "eval/", setup.host->pool);
    Result<std::optional<Score>> score =
        lanes ? play(std::move(*lanes), request, hand, notice) : Result<std::optional<Score>>(std::move(lanes).error());
    if (!is_done(score, problems)) {
        return std::nullopt;
    }
    return *score;
}

}  // namespace tenon
