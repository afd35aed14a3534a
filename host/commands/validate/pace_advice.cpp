// SPDX-License-Identifier: Apache-2.0
// Warnings about how many frames a lane collects, and how often it learns from them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/listed.hpp"
#include "commands/validate/advices.hpp"
#include "commands/validate/known_option.hpp"
#include "config/manifest/pace.hpp"
#include "train/plan/evaluations.hpp"

namespace tenon {
namespace {

constexpr double kMostUpdates = 8;  // per frame
constexpr std::string_view kLimit = "max_episode_steps";

}  // namespace

void advise_truncation(const Wiring& w, Problems& problems) {
    if (only_learns(w.manifest) || !w.learns() || w.episode_limit == 0) {
        return;
    }
    const std::int64_t steps = run_length(w.manifest) / w.manifest.env.lanes;
    if (steps < w.episode_limit) {
        problems.push_back(
            input_problem("a lane collects " + counted(steps, "frame") + " in the whole run, but an episode may take " +
                              std::to_string(w.episode_limit) +
                              ": no time limit is ever seen, and returns of training are of the shortest episodes only",
                          place_of(w.manifest, "env.lanes"), "set run.total_frames to more, or env.lanes to less"));
    }
}

// Only for an env that has an option for it: other envs may end their episodes without declaring a limit.
void advise_time_limit(const Wiring& w, Problems& problems) {
    const EvalTable& eval = w.manifest.eval;
    const EnvParts& parts = w.parts.training;
    const std::vector<OptionSchema>& options = parts.env.schema();
    const bool has_option = std::ranges::find(options, kLimit, &OptionSchema::name) != options.end();
    const bool is_limited = std::ranges::any_of(
        parts.transforms, [&](const Part& transform) { return number_of(w, transform, "max_steps").has_value(); });
    if (every(eval) == 0 || eval.max_steps || !eval.envs.empty() || w.episode_limit > 0 || !has_option || is_limited) {
        return;
    }
    problems.push_back(input_problem(
        parts.env.info.name + " has no time limit: where the policy is stuck, an evaluation goes on for " +
            std::to_string(longest_evaluated(w.manifest, w.episode_limit)) + " steps",
        parts.env.table->ref.place,
        "set " + key_of(parts.env, kLimit) + ", which ends episodes of training too, or eval.max_steps"));
}

void advise_pool(const Wiring& w, Problems& problems) {
    if (w.pools() && w.at_once == 1 && w.manifest.env.lanes > 1) {
        problems.push_back(input_problem(
            w.parts.training.env.info.name + " steps one of its " + std::to_string(w.manifest.env.lanes) +
                " lanes at a time, so that no lane of the pool steps while another one does",
            place_of(w.manifest, "collector.kind"),
            "set collector.kind = \"sync\", or the env's options so that several of its lanes step at the same time"));
    }
}

void advise_replay_ratio(const Wiring& w, Problems& problems) {
    for (const ObjectivePlan& plan : w.objectives) {
        if (plan.by_batch() || only_learns(w.manifest)) {
            continue;
        }
        const TrainTable& train = plan.train;
        const double frames = static_cast<double>(train.batch) * static_cast<double>(plan.every);
        const double ratio =
            train.updates_per_frame.value_or(static_cast<double>(train.updates_per_batch.value_or(1)) / frames);
        if (ratio > kMostUpdates) {
            const std::string key = train.updates_per_frame ? "updates_per_frame" : "updates_per_batch";
            problems.push_back(input_problem(
                "there are " + short_number(ratio) +
                    " updates for each collected frame: values overfit to a few frames "
                    "beyond about 8, unless the algorithm is made for it (ensembles, resets)",
                place_of(w.manifest, "train." + key), "set train." + key + " to less, or train.batch to more"));
        }
    }
}

}  // namespace tenon
