// SPDX-License-Identifier: Apache-2.0
// tenon record: records a policy's frames, for others to learn from.
#include <iostream>
#include <string>
#include <string_view>

#include "base/error/listed.hpp"
#include "base/error/problem.hpp"
#include "base/json/write.hpp"
#include "base/log/log.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/record/recording.hpp"
#include "plugin_options.hpp"
#include "report.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

void print(const Recording& made, const std::string& out, bool as_json) {
    if (!as_json) {
        std::cout << counted(made.frames, "frame") << " in " << out << "; " << score_text(made.episodes) << '\n';
        return;
    }
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("out").text(out).key("frames").integer(static_cast<std::int64_t>(made.frames));
    json.key("episodes").integer(made.episodes.episodes);
    if (made.episodes.episodes > 0) {
        json.key("return_mean").number(made.episodes.return_mean);
        json.key("return_std").number(made.episodes.return_std);
        json.key("length_mean").number(made.episodes.length_mean);
    }
    json.end_object();
    std::cout << text << '\n';
}

}  // namespace

int command_record(const Arguments& arguments) {
    CommandLine line("tenon record DIR|MANIFEST --frames N --out FILE [options]",
                     "Plays the policy of a checkpoint of the run in DIR, or the initial policy of a manifest, and "
                     "writes\nits frames to a file, from which a run can learn ([buffer] init = FILE). The env, its "
                     "lanes and its\ntransforms are those of training.");
    add_plugin_options(line);
    line.options()("frames", integer_value("N"), "number of frames, summed over the lanes; a multiple of the lanes")(
        "out", text_value("FILE"),
        "the safetensors file to write; an existing one is replaced. Another format's dataset must not exist")(
        "format", text_value("FORMAT"),
        "frames (the default), or the name of a dataset's component that writes, such as minari")(
        "actions", text_value("HOW"),
        "sample (the default): as the run acts, with its exploration at the checkpoint; mode: the policy's best "
        "actions; mean: the mean of its distribution; random: uniformly random")(
        "checkpoint", text_value("WHICH"),
        "best, last, a number of frames (or updates, if the run only learns), or the folder of a checkpoint of any run "
        "with the same policy; the default is best, or last if the run has had no evaluations")(
        "seed", integer_value("N"), "seed of episodes and actions; the default is the manifest's")(
        "json",
        "one JSON object: out, frames, episodes and, if an episode has ended, return_mean, return_std and length_mean");
    line.positional("source", 1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> words = line.texts("source");
    if (words.empty()) {
        return report(input_problem("record needs the folder of a run, or a manifest"));
    }
    if (!line.has("frames") || !line.has("out")) {
        return report(input_problem("record needs --frames N and --out FILE"));
    }
    const std::string how = line.has("actions") ? line.text("actions") : "sample";
    const std::optional<Actions> actions = actions_named(how);
    if (!actions) {
        return report(input_problem("--actions must be sample, mode, mean or random, but is '" + how + "'"));
    }
    RecordingRequest request{.source = words.front(),
                             .checkpoint = {},
                             .actions = *actions,
                             .frames = line.integer("frames").value_or(0),
                             .seed = line.integer("seed"),
                             .out = line.text("out"),
                             .format = line.has("format") ? line.text("format") : "frames",
                             .plugins = given_plugin_folders(line)};
    if (request.frames < 1 || request.frames > 1'000'000'000) {
        return report(input_problem("--frames must be in [1,1e9], but is " + std::to_string(request.frames)));
    }
    if (request.seed.value_or(0) < 0) {
        return report(input_problem("--seed must be at least 0, but is " + std::to_string(*request.seed)));
    }
    if (line.has("checkpoint")) {
        request.checkpoint = line.text("checkpoint");
    }
    Problems problems;
    const auto made =
        record_frames(request, [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
    if (!made) {
        return report(problems);
    }
    for (const std::string& sentence : made->left_out) {
        log(Level::kWarning, "left out: " + sentence);
    }
    if (!made->pieces.empty()) {
        log(Level::kWarning, made->pieces);
    }
    print(*made, request.out.string(), line.has("json"));
    return kSuccess;
}

}  // namespace tenon::host
