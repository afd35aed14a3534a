// SPDX-License-Identifier: Apache-2.0
// tenon prune: free the disk space of checkpoints that are no longer needed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "command_line.hpp"
#include "commands/prune/prune.hpp"
#include "commands/prune/prune_output.hpp"
#include "report.hpp"
#include "shared/history/find_runs.hpp"

namespace tenon::host {
namespace {

// The problem if the only named run cannot be pruned: a row of a table would not be enough.
std::optional<Problem> refusal(const std::vector<PrunePlan>& plans) {
    if (plans.size() != 1 || !plans.front().left_alone) {
        return std::nullopt;
    }
    const std::string run = plans.front().run.string();
    if (!plans.front().launcher.empty()) {
        return input_problem("the run in " + run + " is one of those in " + plans.front().launcher.string() +
                             ", which are running, so nothing of it is deleted");
    }
    if (plans.front().state == RunState::kRunning) {
        return input_problem("the run in " + run + " is running, so nothing of it is deleted");
    }
    return input_problem("the run in " + run + " has not ended (" + std::string(name_of(plans.front().state)) +
                             "), so nothing of it is deleted",
                         {}, "--unfinished prunes it, too; its best and newest checkpoints stay");
}

Result<PruneRequest> prune_request(const CommandLine& line) {
    const std::int64_t keep = line.integer("keep").value_or(1);
    if (keep < 1) {
        return input_problem("--keep must be at least 1, but is " + std::to_string(keep));
    }
    return PruneRequest{
        .keep = static_cast<std::size_t>(keep), .buffers = line.has("buffers"), .unfinished = line.has("unfinished")};
}

int prune_runs(const CommandLine& line, const std::vector<std::string>& named) {
    const Result<PruneRequest> request = prune_request(line);
    if (!request) {
        return report(request.error());
    }
    const Result<std::vector<std::filesystem::path>> runs = find_runs({named.begin(), named.end()});
    if (!runs) {
        return report(runs.error());
    }
    std::vector<PrunePlan> plans;
    Problems problems;
    for (const std::filesystem::path& run : *runs) {
        Result<PrunePlan> plan = line.has("yes") ? prune(run, *request) : plan_pruning(run, *request);
        if (plan) {
            plans.push_back(*std::move(plan));
        } else {
            problems.push_back(std::move(plan).error());
        }
    }
    if (const std::optional<Problem> refused = problems.empty() ? refusal(plans) : std::nullopt) {
        return report(*refused);
    }
    if (line.has("json")) {
        std::ranges::for_each(plans, [&](const PrunePlan& plan) { print_json(plan, line.has("yes")); });
    } else if (!plans.empty()) {
        print_table(plans, line.has("yes"));
    }
    return report(problems);
}

}  // namespace

int command_prune(const Arguments& arguments) {
    CommandLine line("tenon prune DIR... [options]",
                     "Says which checkpoints of ended runs are no longer needed and how much disk space they take, and "
                     "deletes\nthem with --yes. Each DIR is a run or a folder of runs. Of every run the best "
                     "checkpoints and the newest\none stay, so eval, play, serve, export and --resume work as before. "
                     "Running runs are left alone.");
    line.options()("yes", "delete; without it nothing is changed");
    line.options()("keep", integer_value("N"),
                   "how many of the newest checkpoints stay, besides the best; the default is 1");
    line.options()("buffers",
                   "also the buffers' frames in checkpoints that stay: most of their size, and needed only to resume, "
                   "which is then impossible, and as frames for other runs");
    line.options()("unfinished", "also runs that were stopped or died");
    line.options()("json", "one JSON object per run: run, state, checkpoints, buffers, bytes, deleted");
    line.positional("dir", -1);
    if (const auto code = line.parse(arguments)) {
        return *code;
    }
    const std::vector<std::string> named = line.texts("dir");
    if (named.empty()) {
        return report(input_problem("prune needs a run or a folder of runs: tenon prune runs"));
    }
    return prune_runs(line, named);
}

}  // namespace tenon::host
