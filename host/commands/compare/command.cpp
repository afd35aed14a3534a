// SPDX-License-Identifier: Apache-2.0
// tenon compare: compares groups of runs.
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "command.hpp"
#include "command_line.hpp"
#include "commands/compare/compare_output.hpp"
#include "report.hpp"
#include "shared/compare/comparison.hpp"
#include "shared/compare/comparison_output.hpp"
#include "shared/compare/number_in.hpp"
#include "shared/history/find_runs.hpp"
#include "shared/pictures/chart.hpp"
#include "shared/pictures/picture_file.hpp"

namespace tenon::host {
namespace {

// "0:500", "classic/CartPole-v1=0:500".
Result<ScoreRange> score_range(const std::string& text) {
    const std::size_t equals = text.rfind('=');
    const std::string_view bounds = std::string_view(text).substr(equals == std::string::npos ? 0 : equals + 1);
    const std::size_t colon = bounds.find(':', 1);
    const bool two = colon != std::string_view::npos;
    const std::optional<double> low = two ? number_in(bounds.substr(0, colon)) : std::nullopt;
    const std::optional<double> high = two ? number_in(bounds.substr(colon + 1)) : std::nullopt;
    if (!low || !high) {
        return input_problem("--range must be LOW:HIGH or TASK=LOW:HIGH, but is '" + text + "'");
    }
    return ScoreRange{.task = equals == std::string::npos ? "" : text.substr(0, equals), .low = *low, .high = *high};
}

Result<CompareRequest> compare_request(const CommandLine& line) {
    CompareRequest out;
    for (const std::string& folder : line.texts("dir")) {
        out.folders.emplace_back(folder);
    }
    out.folders = without_files(std::move(out.folders));
    if (out.folders.empty()) {
        return input_problem("name folders of runs: tenon compare runs/dqn runs/ppo");
    }
    if (line.has("json") + line.has("csv") + line.has("markdown") > 1) {
        return input_problem("--json, --csv and --markdown exclude each other");
    }
    for (const std::string& text : line.texts("range")) {
        const ScoreRange range = TENON_TRY(score_range(text));
        out.ranges.push_back(range);
    }
    out.group_by = line.text("group-by");
    out.metric = line.text("metric");
    out.target = line.number("target");
    out.task_key = line.has("task-key") ? line.text("task-key") : out.task_key;
    out.at = line.has("at") ? line.text("at") : out.at;
    out.statistic = line.has("statistic") ? line.text("statistic") : out.statistic;
    for (const char* option : {"plot", "profile"}) {
        TENON_TRY(line.has(option) ? check_picture(line.text(option)) : Status());
    }
    return out;
}

Status write_pictures(const CommandLine& line, const Comparison& comparison) {
    if (line.has("plot")) {
        TENON_TRY(write_picture(line.text("plot"), to_svg(curves_chart(comparison))));
    }
    return line.has("profile") ? write_picture(line.text("profile"), to_svg(profiles_chart(comparison))) : Status();
}

}  // namespace

int command_compare(const Arguments& arguments) {
    CommandLine line(
        "tenon compare DIR... [options]",
        "Compares groups of runs: what they reach, with 95 % intervals over their seeds, how probable it is that\n"
        "one is better than another, which manifest values differ, and what they cost. Each DIR is a folder\n"
        "of runs and is a group. Runs that are named themselves, or are in the only DIR, are grouped by their "
        "manifests.");
    line.options()("group-by", text_value("KEY"),
                   "group by a value of the manifests instead, such as objective.plugin");
    line.options()(
        "metric", text_value("NAME"),
        "the metric to compare; the default is eval/mean_reward, or rollout/ep_rew_mean if a run has no evaluations");
    line.options()(
        "at", text_value("WHICH"),
        "the score of a run: its 'last' value (the default), its 'best', or the last one at a number of frames");
    line.options()("statistic", text_value("NAME"), "of the curves: iqm (the default), mean or median");
    line.options()("task-key", text_value("KEY"),
                   "the manifest value that tells tasks apart; the default is env.plugin");
    line.options()(
        "range", boost::program_options::value<std::vector<std::string>>()->composing()->value_name("[TASK=]LOW:HIGH"),
        "the scores that count as 0 and 1; repeatable");
    line.options()("target", number_value("SCORE"),
                   "also print how far scores are below this one (the optimality gap)");
    line.options()("plot", text_value("FILE"), "draw the curves: .svg, or .png with rsvg-convert");
    line.options()("profile", text_value("FILE"), "draw performance profiles");
    line.options()("json", "everything as one JSON object, curves and profiles too");
    line.options()("csv", "one line for each run");
    line.options()("markdown", "the tables in Markdown");
    line.positional("dir", -1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const Result<CompareRequest> request = compare_request(line);
    if (!request) {
        return report(request.error());
    }
    const Result<Comparison> comparison = compare_runs(*request);
    if (!comparison) {
        return report(comparison.error());
    }
    if (Status drawn = write_pictures(line, *comparison); !drawn) {
        return report(drawn.error());
    }
    if (line.has("json")) {
        std::cout << comparison_json(*comparison) << '\n';
    } else if (line.has("csv")) {
        std::cout << comparison_csv(*comparison);
    } else {
        print_comparison(*comparison, line.has("markdown"));
    }
    return kSuccess;
}

}  // namespace tenon::host
