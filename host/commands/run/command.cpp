// SPDX-License-Identifier: Apache-2.0
// tenon run: train.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/json/write.hpp"
#include "base/log/log.hpp"
#include "base/profile/profile.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands/run/for_launcher.hpp"
#include "commands/run/restarts.hpp"
#include "commands/run/seeds_output.hpp"
#include "plugins/plugin/search_path.hpp"
#include "report.hpp"
#include "run/sessions/training.hpp"
#include "shared/presets/manifest_options.hpp"
#include "shared/seeds/launch_options.hpp"
#include "shell_word.hpp"
#include "table.hpp"

namespace tenon::host {
namespace {

// What the returns show about the run; empty: nothing.
std::string verdict(const TrainingResult& result) {
    if (const std::optional<ReturnPair>& pair = result.not_learnt) {
        return "the run has not learnt: its last " + counted(pair->training.episodes, "training episode") +
               " returned " + mean_text(pair->training) + ", its first " + std::to_string(pair->other.episodes) +
               " returned " + mean_text(pair->other) +
               (result.shipped.empty() ? "; docs/manifests.md lists manifests that learn, by env"
                                       : "; for this env there is manifests/" + result.shipped);
    }
    if (const std::optional<ReturnPair>& pair = result.drawn_is_better) {
        return "the policy is far better with drawn actions: the last " +
               counted(pair->training.episodes, "training episode") + " returned " + mean_text(pair->training) +
               ", the last evaluation, which does not draw, " + mean_text(pair->other) +
               "; to score it as it trains, set eval.actions = \"sample\"";
    }
    return {};
}

void print_json(const TrainingResult& result) {
    std::string line;
    JsonWriter json(line);
    const Score* score = result.last.empty() ? nullptr : &result.last.front().score;
    const auto number_or_null = [&](const char* key, bool known, double value) {
        json.key(key);
        known ? json.number(value) : json.null();
    };
    json.begin_object()
        .key("out")
        .text(result.out.string())
        .key("frames")
        .integer(result.frames)
        .key("updates")
        .integer(result.updates);
    json.key("seconds").number(result.seconds);
    json.key("frames_per_s").number(result.unit == "frame" ? result.per_second : 0);
    number_or_null("eval_return_mean", score != nullptr, score ? score->return_mean : 0);
    number_or_null("eval_return_std", score != nullptr, score ? score->return_std : 0);
    json.key("eval_episodes");
    score ? json.integer(score->episodes) : json.null();
    number_or_null("best_return_mean", result.best_return.has_value(), result.best_return.value_or(0));
    if (result.recorded) {
        json.key("recorded").begin_object().key("to").text(result.recorded->to.string());
        json.key("episodes").integer(static_cast<std::int64_t>(result.recorded->episodes));
        json.key("frames").integer(static_cast<std::int64_t>(result.recorded->frames));
        json.key("written").boolean(result.recorded->written).end_object();
    }
    if (!result.spent.empty()) {
        json.key("spent").begin_array();
        for (const Profile::Spent& part : result.spent) {
            json.begin_object().key("work").text(name_of(part.work)).key("name").text(part.name);
            json.key("seconds").number(part.seconds).key("count").integer(static_cast<std::int64_t>(part.count));
            json.end_object();
        }
        json.end_array();
    }
    if (const std::string said = verdict(result); !said.empty()) {
        json.key("verdict").text(said);
    }
    json.end_object();
    std::cout << line << '\n';
}

// Where the time went, in the order in which a round of the loop spends it.
void print_spent(const std::vector<Profile::Spent>& spent) {
    double total = 0;
    for (const Profile::Spent& part : spent) {
        total += part.seconds;
    }
    std::vector<Row> rows;
    for (const Profile::Spent& part : spent) {
        rows.push_back({part.name, number_text(std::round(part.seconds * 1000) / 1000) + " s",
                        number_text(std::round(1000 * part.seconds / total) / 10) + " %",
                        part.count > 0 ? std::to_string(part.count) + "x" : ""});
    }
    std::cout << "where the time went, of " << duration_text(total) << ":\n";
    print_rows(std::cout, rows, "  ", "lrrr");
}

// The final metrics: in columns by group for a person, one per line if stdout is redirected. The time is in the first
// line already.
void print_metrics(const TrainingResult& result, bool terminal) {
    std::vector<Row> rows;
    std::string_view group;
    for (const auto& [name, value] : result.metrics) {
        const std::size_t slash = name.find('/');
        const std::string_view own = std::string_view(name).substr(0, slash == std::string::npos ? 0 : slash);
        if (own == "time" || std::isnan(value)) {
            continue;
        }
        if (!terminal) {
            rows.push_back({name, number_text(value)});
        } else if (slash != std::string::npos) {
            rows.push_back({own == group ? "" : std::string(own), name.substr(slash + 1), number_text(value)});
            group = own;
        }
    }
    print_rows(std::cout, rows, "  ");
}

void print_text(const TrainingResult& result) {
    const char* how = result.had_finished ? "the run had already finished at "
                      : result.stopped    ? "stopped at "
                                          : "finished at ";
    const std::string frames = result.unit == "frame" ? counted(result.frames, "frame") + ", " : "";
    std::cout << how << frames << counted(result.updates, "update");
    if (result.had_finished) {
        std::cout << "; nothing was done\n";
    } else {
        std::cout << ", in " << duration_text(result.seconds) << " (" << static_cast<std::int64_t>(result.per_second)
                  << " " << result.unit << "s/s)\n";
    }
    if (!result.early_end.empty() && !result.had_finished) {
        std::cout << result.early_end << "\n";
    }
    print_metrics(result, ::isatty(STDOUT_FILENO) == 1);
    if (!result.spent.empty()) {
        print_spent(result.spent);
    }
    for (const auto& [name, score] : result.last) {
        std::cout << "last evaluation" << (name.empty() ? "" : " in " + name) << ": " << score_text(score) << '\n';
    }
    if (result.best_return) {
        std::cout << "best evaluation: return " << number_text(*result.best_return) << '\n';
    }
    if (const std::string said = verdict(result); !said.empty()) {
        std::cout << said << '\n';
    }
    if (result.recorded) {
        const RecordedEpisodes& recorded = *result.recorded;
        std::cout << "recorded: " << counted(recorded.episodes, "episode") << ", " << counted(recorded.frames, "frame")
                  << (recorded.written         ? " in " + recorded.to.string()
                      : recorded.episodes == 0 ? std::string(": no episode has ended, so nothing was written")
                                               : "; " + recorded.to.string() + " is written when the run ends")
                  << "\n";
    }
    std::cout << "run folder: " << result.out.string() << "\n";
    if (result.stopped) {
        std::cout << "continue with: " << typed_program() << " run --resume " << shell_word(result.out.string())
                  << "\n";
    }
}

int print_manifest(const CommandLine& line) {
    if (line.texts("manifest").size() != 2) {
        return report(input_problem("--print shows the manifest that an algorithm and an env give; name both"));
    }
    Problems problems;
    if (const std::optional<std::string> text = text_of_words(line, problems)) {
        std::cout << *text;
    }
    return report(problems);
}

Status choose_log_level(const CommandLine& line) {
    constexpr std::array<std::pair<std::string_view, Level>, 4> kLevels{
        {{"debug", Level::kDebug}, {"info", Level::kInfo}, {"warning", Level::kWarning}, {"error", Level::kError}}};
    const std::string word = line.text("log-level");
    if (!line.has("log-level")) {
        return {};
    }
    const auto* const found = std::ranges::find(kLevels, word, &std::pair<std::string_view, Level>::first);
    if (found == kLevels.end()) {
        return input_problem("--log-level must be debug, info, warning or error, but is '" + word + "'");
    }
    set_log_level(found->second);
    return {};
}

}  // namespace

int command_run(const Arguments& arguments) {
    CommandLine line(
        "tenon run MANIFEST [options]  |  tenon run ALGORITHM ENV [options]  |  tenon run --resume DIR [options]", [] {
            return "Trains what the manifest wires." + algorithms_help() +
                   "\nThe first Ctrl-C writes a checkpoint and exits, a second one exits at once.\n\nA manifest, --set "
                   "and --seed can be given together with --resume. They may change run.threads,\nrun.device, "
                   "run.learn_on, run.jit, run.total_frames, run.stop_at_episodes, run.name, train.total_updates,\n"
                   "train.on_not_finite, buffer.prefetch, collector.via, collector.listen,\n[eval] except the names of "
                   "its envs, [log], "
                   "[checkpoint],\n[validate] and plugins.search. Other differences from the original run are listed "
                   "and refused,\nunless --change names them.";
        });
    add_manifest_options(line);
    line.options()("out", text_value("DIR"),
                   "the run's folder, which should be new or empty; the default is runs/NAME-N")(
        "resume", text_value("DIR"), "continue the run in this folder, as if it had never stopped")(
        "change", boost::program_options::value<std::vector<std::string>>()->value_name("KEY"),
        "with --resume: this key may have another value than the run had, if that leaves the shapes of its networks "
        "and its storage as they are; may be repeated")(
        "leave-at-frames", integer_value("N"),
        "leave with a checkpoint when the run has so many frames, as after Ctrl-C; --resume continues")(
        "leave-at-updates", integer_value("N"), "the same when it has so many updates")(
        "from", text_value("DIR"), "begin a new run with the newest weights of this run")(
        "restarts", integer_value("N"),
        "when the run's process or one of its shards dies or falls silent, go on from the last checkpoint in --out "
        "DIR, at most N times; the same command continues a run that exists")(
        "dump-graph", text_value("DIR"),
        "write each compiled program to this folder: its graph with gradients and its instructions as text, its "
        "instructions as a picture; if the reference executor runs a program, the reason")(
        "profile",
        "measure where the time goes: a table at the end, and metrics under time/ unless --resume goes on with a run "
        "that has none")("trace", text_value("FILE"),
                         "write a trace of the run in Chrome's format, for chrome://tracing or Perfetto")(
        "quiet", "no progress line on stderr")(
        "log-level", text_value("LEVEL"),
        "the lines on stderr: debug (also evaluations and checkpoints), info (the default), warning or error; `tenon "
        "top` changes it while the run goes on")("print",
                                                 "print the manifest that ALGORITHM ENV gives, and do not run it")(
        "seeds", text_value("LIST"),
        "a run for each of these seeds, such as 0-4,11, in folders of --out, by default of runs/NAME-N; the same line "
        "with that --out goes on with them")(
        "from-launcher",
        "what --via starts: the other options come in the first line of standard input, and the run leaves with a "
        "checkpoint when its standard input ends")(
        "json",
        "one JSON object at the end: out, frames, updates, seconds, frames_per_s, eval_return_mean, eval_return_std, "
        "eval_episodes, best_return_mean; verdict, a sentence, if the returns say something of the run; with "
        "collector.record recorded, an object with to, episodes, frames, written; with --profile spent, a list of "
        "objects with work, name, seconds, count; with --seeds: out, stopped, runs (of each seed: seed, out, code, "
        "frames, eval_return_mean, best_return_mean, seconds, error), eval_return_mean, eval_return_interval");
    add_launch_options(line, "with --seeds, ");
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    if (line.has("from-launcher")) {
        return arguments.size() == 1 ? run_for_launcher()
                                     : report(input_problem("--from-launcher takes its options from standard input"));
    }
    if (line.has("print")) {
        return print_manifest(line);
    }
    if (const Status level = choose_log_level(line); !level) {
        return report(level.error());
    }
    if (line.has("seeds") || has_launch_options(line)) {
        return run_several(line);
    }
    if (line.has("restarts")) {
        return run_with_restarts(line);
    }
    Problems problems;
    TrainingRequest request{
        .request = manifest_request(line, problems),
        .out = line.text("out"),
        .resume = line.text("resume"),
        .changed = line.texts("change"),
        .from = line.text("from"),
        .dump = line.text("dump-graph"),
        .trace = line.text("trace"),
        .leave = {.at_frames = line.integer("leave-at-frames"), .at_updates = line.integer("leave-at-updates")},
        .profile = line.has("profile"),
        .quiet = line.has("quiet"),
        .is_restarted = is_restarted(),
        .again = {program_to_start_again().string(), "run"}};
    request.again.insert(request.again.end(), arguments.begin(), arguments.end());
    if (request.profile && request.resume.empty()) {
        request.request.overrides.push_back({"true", "--profile", "log.profile"});  // for the columns of its metrics
    }
    if (request.request.manifest.empty() && request.resume.empty()) {
        return report(input_problem("run needs a manifest, or an algorithm and an env, or --resume DIR", {},
                                    "`tenon run ppo CartPole-v1`"));
    }
    if (!request.resume.empty() && !(request.out.empty() && request.from.empty())) {
        return report(input_problem("--resume continues in the folder of its run; it excludes --out and --from"));
    }
    if (line.has("change") && request.resume.empty()) {
        return report(input_problem("--change names keys that a resumed run may change; it needs --resume DIR"));
    }
    if (line.has("resume") && request.request.document) {
        return report(input_problem("--resume continues with the manifest of its run; name no algorithm and env"));
    }
    if (!problems.empty()) {
        return report(problems);
    }
    const auto result =
        run_training(request, [](std::string_view sentence) { log(Level::kWarning, sentence); }, problems);
    if (!result) {
        // the first shard of the run prints the problem
        return problems.front().sentence.empty() ? static_cast<int>(problems.front().fault) : report(problems);
    }
    if (result->follows) {
        return kSuccess;
    }
    line.has("json") ? print_json(*result) : print_text(*result);
    return kSuccess;
}

}  // namespace tenon::host
