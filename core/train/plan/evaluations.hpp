// SPDX-License-Identifier: Apache-2.0
// The environments of a run's evaluations: the training env, or those of [eval.env].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experience/env/lanes.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// The names of the evaluations, "" for one without a name. The first one decides which checkpoint is the best.
std::vector<std::string> evaluation_names(const Manifest& manifest);

// The tasks of evaluation number `which`; none if it plays one env.
const std::vector<TaskTable>& evaluation_tasks(const Manifest& manifest, std::size_t which);

// The names of all scores: of each evaluation, after it of its tasks, "ENV/TASK", and then of these groups of agents
// (Wiring::rewarded), "ENV/GROUP".
std::vector<std::string> score_names(const Manifest& manifest, std::span<const std::string> groups = {});

// One score: of all episodes of an evaluation, or of those in one of its tasks.
struct Scored {
    std::size_t which = 0;
    std::optional<std::size_t> task;
};
// The score with that name; the first one if the name is empty.
std::optional<Scored> find_scored(const Manifest& manifest, const std::string& name);

// The number of lanes that evaluation number `which` uses for this many episodes; at least one for each of `parts`, if
// there are as many episodes.
std::uint32_t evaluation_lanes(const Manifest& manifest, std::size_t which, std::int64_t episodes, std::size_t parts);

// The number of steps after which an evaluation in such an env cuts off an episode; 0: never. If the env has no limit,
// evaluating a policy that is stuck would never end.
std::int64_t longest_evaluated(const Manifest& manifest, std::int64_t episode_limit);

// lanes: the number for each of its tasks, or for its only env.
Result<Lanes> make_evaluation_env(const Wiring& wiring, std::size_t which, std::span<const std::uint32_t> lanes,
                                  std::uint64_t seed, Pool& pool);

// Adds a problem for every evaluation env whose observations or actions differ from those of the training env.
void check_evaluations(const Wiring& wiring, const Lanes& training, Pool& pool, Problems& problems);

}  // namespace tenon
