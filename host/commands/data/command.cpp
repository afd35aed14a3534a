// SPDX-License-Identifier: Apache-2.0
// tenon data: looks at recorded frames, and converts them.
#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/listed.hpp"
#include "base/json/write.hpp"
#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/data/data_output.hpp"
#include "commands/data/subcommands.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "shared/pictures/picture_file.hpp"

namespace tenon::host {
namespace {

constexpr std::int64_t kFrames = 10;

int info(const CommandLine& line, const NamedFrames& named) {
    print_info(info_of(named), line.has("json"));
    return kSuccess;
}

int stats(const CommandLine& line, const NamedFrames& named) {
    print_stats(stats_of(named), summarise_episodes(named.frames.storage), line.has("json"));
    return kSuccess;
}

int head(const CommandLine& line, const NamedFrames& named) {
    const std::int64_t count = line.integer("frames").value_or(kFrames);
    if (count < 1) {
        return report(input_problem("--frames must be at least 1, but is " + std::to_string(count)));
    }
    print_frames(first_rows(named, static_cast<std::uint64_t>(count)), line.has("json"));
    return kSuccess;
}

int plot(const CommandLine& line, const NamedFrames& named) {
    if (!line.has("out")) {
        return report(input_problem("data plot needs --out FILE.svg, or FILE.png"));
    }
    const std::string out = line.text("out");
    const Status written =
        write_picture(out, plot_episodes(summarise_episodes(named.frames.storage), named.file.string()));
    if (!written) {
        return report(written.error());
    }
    std::cout << "returns and lengths in " << out << '\n';
    return kSuccess;
}

int convert(const CommandLine& line, const std::vector<std::string>& words) {
    if (words.size() < 3) {
        return report(input_problem("data convert needs a source and a destination: tenon data convert SRC DST"));
    }
    const Result<Converted> made = convert_frames({.from = {words.begin() + 1, words.end() - 1},
                                                   .to = words.back(),
                                                   .format = line.has("format") ? line.text("format") : "frames",
                                                   .plugins = given_plugin_folders(line),
                                                   .one_lane = line.has("one-lane")});
    if (!made) {
        return report(made.error());
    }
    for (const std::string& sentence : made->left_out) {
        log(Level::kWarning, "left out: " + sentence);
    }
    if (!made->pieces.empty()) {
        log(Level::kWarning, made->pieces);
    }
    if (line.has("json")) {
        std::string text;
        JsonWriter json(text);
        json.begin_object().key("out").text(words.back());
        json.key("frames").integer(static_cast<std::int64_t>(made->frames));
        json.key("episodes").integer(static_cast<std::int64_t>(made->episodes)).end_object();
        std::cout << text << '\n';
    } else {
        std::cout << counted(made->frames, "frame") << " of " << counted(made->episodes, "episode") << " in "
                  << words.back() << '\n';
    }
    return kSuccess;
}

struct Action {
    std::string_view name;
    int (*run)(const CommandLine& line, const NamedFrames& named);
};
constexpr std::array<Action, 4> kActions = {{{"info", info}, {"head", head}, {"stats", stats}, {"plot", plot}}};

}  // namespace

int command_data(const Arguments& arguments) {
    CommandLine line(
        "tenon data info|head|stats|plot FILE [options]\n       tenon data convert SRC... DST [options]",
        "Looks at recorded frames: what they are (info), the first ones (head), statistics of each column\n"
        "(stats), a picture of returns and lengths (plot); or writes them in another format, or the whole episodes of "
        "several in one file (convert). "
        "FILE is\na file of frames, a run, a checkpoint, or a dataset that a plugin reads, such as Minari's "
        "folders.");
    add_plugin_options(line);
    line.options()("frames", integer_value("N"), "head: how many frames; the default is 10")(
        "format", text_value("FORMAT"),
        "convert: frames (the default), for a file that [buffer] init = FILE reads at once; or the name of a dataset's "
        "component, such as minari")("one-lane",
                                     "convert: the whole episodes of one source in one lane, as of several sources")(
        "out", text_value("FILE"), "plot: the picture to write, .svg or .png")("json",
                                                                               "one JSON object; head: one per frame");
    line.positional("words", 100);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("words");
    const std::string action = words.empty() ? "" : words.front();
    if (action == "convert") {
        return convert(line, words);
    }
    for (const Action& each : kActions) {
        if (each.name != action) {
            continue;
        }
        if (words.size() != 2) {
            return report(input_problem("data " + action + " needs one file: tenon data " + action + " FILE"));
        }
        const Result<NamedFrames> named = open_frames(words[1], given_plugin_folders(line));
        if (!named) {
            return report(named.error());
        }
        if (named->frames.storage.view().total == 0) {  // such as the checkpoint of a run that learns from rounds
            log(Level::kWarning,
                words[1] + " has no frames; tenon record RUN --frames N --out FILE writes frames of a run in a file");
        }
        return each.run(line, *named);
    }
    const std::vector<std::string_view> names = {"info", "head", "stats", "plot", "convert"};
    return report(action.empty()
                      ? input_problem("data needs an action: info, head, stats, plot or convert")
                      : input_problem("data has no action '" + action +
                                      "'; it has info, head, stats, plot and convert" + did_you_mean(action, names)));
}

}  // namespace tenon::host
