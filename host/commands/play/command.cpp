// SPDX-License-Identifier: Apache-2.0
// tenon play: shows the episodes of a checkpoint, as a video file, in the terminal or as tokens.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/play/play_by_keys.hpp"
#include "commands/play/tokens.hpp"
#include "engines/video/video_file.hpp"
#include "experience/env/lanes.hpp"
#include "report.hpp"
#include "run/sessions/scoring.hpp"
#include "run/sessions/screen.hpp"
#include "shared/scoring/scoring_options.hpp"
#include "shared/terminal/screen_terminal.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

// Draws each picture over the previous one, at the speed of the simulated world.
class Terminal {
public:
    void begin(FrameSize size, double frames_per_second) {
        size_ = size;
        wait_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / frames_per_second));
        next_ = Clock::now();
        clear_screen();
    }

    void show(FramePixels pixels) {
        draw_on_screen(pixels, size_);
        next_ += wait_;
        std::this_thread::sleep_until(next_);
    }

private:
    using Clock = std::chrono::steady_clock;
    FrameSize size_;
    Clock::duration wait_{};
    Clock::time_point next_;
};

struct Shown {
    std::optional<Terminal> terminal;
    std::filesystem::path video;  // as asked for; empty: none
    std::optional<VideoFile> file;
    std::int64_t frames = 0;

    Status begin(const Lanes::Pictures& pictures) {
        if (terminal) {
            terminal->begin({.height = pictures.height, .width = pictures.width}, frames_per_second(pictures));
        }
        return video.empty() ? Status() : begin_video(video, pictures, file);
    }

    Status show(FramePixels pixels) {
        ++frames;
        if (terminal) {
            terminal->show(pixels);
        }
        return file ? file->add(pixels) : Status();
    }
};

Status check_screen(const CommandLine& line) {
    if (line.has("watch") && ::isatty(STDOUT_FILENO) == 0) {
        return input_problem("play --watch draws in a terminal, but the output is redirected", {},
                             "--video FILE writes a video");
    }
    const std::filesystem::path asked = line.text("video");
    const std::filesystem::path written = VideoFile::path_of(asked);
    std::error_code code;
    if (written != asked && std::filesystem::exists(written, code)) {
        return input_problem(
            "there is no ffmpeg in PATH, so the video would be an animated PNG, and " + written.string() + " exists",
            {}, "--video " + written.string() + " replaces it; or name another file");
    }
    return {};
}

// The warning after an interrupt: how many of the requested episodes were shown.
std::string stopped_text(std::int64_t shown, std::int64_t wanted) {
    return "stopped after " + std::to_string(shown) + " of " + counted(wanted, "episode") +
           "; the last pictures are those of another one, as far as it came";
}

void print(const Shown& shown, const Score& score, bool as_json) {
    if (as_json) {
        std::string text;
        JsonWriter json(text);
        json.begin_object();
        put_score(json, score);
        json.key("frames").integer(shown.frames);
        if (shown.file) {
            json.key("video").text(shown.file->path().string());
        }
        json.end_object();
        std::cout << text << '\n';
        return;
    }
    std::cout << score_text(score) << '\n';
    if (shown.file) {
        std::cout << counted(shown.frames, "picture") << " in " << shown.file->path().string() << '\n';
        if (shown.file->path() != shown.video) {
            log(Level::kWarning, "there is no ffmpeg in PATH, so the video is an animated PNG");
        }
    }
}

// Prints the prompts and answers of each step; with --json, all of them at the end.
int play_as_tokens(const CommandLine& line, const ScoringRequest& request) {
    std::vector<std::string> names;
    if (line.has("names")) {
        Result<std::vector<std::string>> read = read_token_names(line.text("names"));
        if (!read) {
            return report(read.error());
        }
        names = std::move(*read);
    }
    const bool as_json = line.has("json");
    std::string steps;
    JsonWriter json(steps);
    json.begin_array();
    std::string printed;  // of the step so far
    const auto grow = [&](const TokenStep& step) {
        std::string text = as_json ? "" : token_text(step, names);
        text.resize(text.empty() ? 0 : text.size() - 1);                                      // its line has not ended
        const bool cut = text.size() > 3 && text.substr(text.size() - 4).starts_with("\\x");  // a part of a character
        if (!cut && text.starts_with(printed)) {
            std::cout << text.substr(printed.size()) << std::flush;
            printed = std::move(text);
        }
    };
    const auto show = [&](const TokenStep& step) {
        if (as_json) {
            put_step(json, step);
            return;
        }
        const std::string text = token_text(step, names);
        const bool continues = text.starts_with(printed);
        std::cout << (continues ? "" : "\n") << text.substr(continues ? printed.size() : 0) << std::flush;
        printed.clear();
    };
    Problems problems;
    const auto score = play_checkpoint(
        request,
        [&](Evaluator& evaluator, const RunNumbers& numbers, std::int64_t episodes, StopAsked stop) {
            return play_tokens(evaluator, numbers, episodes, show, grow, stop);
        },
        [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
    if (!problems.empty()) {
        return report(problems);
    }
    json.end_array();
    std::string text;
    JsonWriter whole(text);
    whole.begin_object();
    put_score(whole, score.value_or(Score{}));
    whole.end_object();
    std::cout << (as_json ? text.substr(0, text.size() - 1) + ",\"steps\":" + steps + "}"
                          : score_text(score.value_or(Score{})))
              << '\n';
    return kSuccess;
}

}  // namespace

int command_play(const Arguments& arguments) {
    CommandLine line(
        "tenon play DIR [options] | tenon play ENV|MANIFEST|DIR --keys | tenon play DIR --keys --side SIDE",
        "Plays episodes with a checkpoint of the run in DIR, without exploration, and shows them. They "
        "are the\nfirst episodes of tenon eval. A picture shows the state in which an action is chosen, "
        "and the last one\nthe end of the episode.");
    add_scoring_options(line, "number of episodes; the default is 1");
    line.options()(
        "video", text_value("FILE"),
        "the video file: .mp4 or another format of ffmpeg, or .png for an animated PNG, which needs no ffmpeg")(
        "watch", "draw in the terminal, which needs 24-bit colours")(
        "tokens", "print observations and actions that are rows of tokens, such as prompts and answers, with rewards")(
        "names", text_value("FILE"),
        "with --tokens: print them as text; line N of the file is the text of token N - 1; the word bytes: tokens are "
        "bytes")(
        "keys",
        "a person plays: an env by its name, that of a manifest or of a run; arrow keys, letters and digits are "
        "actions, as the terminal shows; q leaves")(
        "side", text_value("SIDE"),
        "with --keys: the person takes one side of a game, and the policy of the run in DIR the others; a group of "
        "agents, or the number of a turn")(
        "set", boost::program_options::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
        "with --keys: overrides a value of [env], for example env.gravity=5; may be repeated")(
        "json",
        "one JSON object: return_mean, return_std, length_mean, episodes, frames; cut_off if episodes were cut off; "
        "video if there is one; with --tokens no frames, but steps");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    if (line.has("keys")) {
        return play_by_keys(line);
    }
    if (line.has("side")) {
        return report(input_problem("play --side needs --keys: a person takes that side, by the keys of the terminal"));
    }
    if (line.has("set")) {
        return report(input_problem("play takes --set only with --keys: a checkpoint is played in the env of its run"));
    }
    const Result<ScoringRequest> request = scoring_request(line, "play");
    if (!request) {
        return report(request.error());
    }
    if (line.has("tokens") || line.has("names")) {
        if (line.has("video") || line.has("watch")) {
            return report(input_problem("play --tokens prints text, so it takes no --video or --watch"));
        }
        return play_as_tokens(line, *request);
    }
    if (!line.has("video") && !line.has("watch")) {
        return report(input_problem("play needs --video FILE, --watch or --tokens, or --keys for a person who plays"));
    }
    if (const Status shows = check_screen(line); !shows) {
        return report(shows.error());
    }
    Shown shown;
    shown.video = line.text("video");
    if (line.has("watch")) {
        shown.terminal.emplace();
    }
    const Screen screen{.begin = [&](const Lanes::Pictures& pictures) { return shown.begin(pictures); },
                        .show = [&](FramePixels pixels) { return shown.show(pixels); }};
    Problems problems;
    const auto score =
        play_checkpoint(*request, screen, [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
    std::error_code ignored;
    if (!problems.empty() && !std::filesystem::is_directory(request->folder, ignored)) {
        problems.front().help = "without --keys, play shows a checkpoint of a run: name the run's folder";
    }
    if (!problems.empty()) {
        return report(problems);
    }
    if (shown.file) {
        if (const Status written = shown.file->finish(); !written) {
            return report(written.error());
        }
    }
    print(shown, score.value_or(Score{}), line.has("json"));
    const std::int64_t played = score.value_or(Score{}).episodes;
    if (const std::int64_t wanted = request->episodes.value_or(1); played < wanted) {
        log(Level::kWarning, stopped_text(played, wanted));
    }
    return kSuccess;
}

}  // namespace tenon::host
