// SPDX-License-Identifier: Apache-2.0
// Warnings about answers of tokens: where they end, and whether acting draws them.
#include <algorithm>
#include <cstddef>
#include <string>

#include "base/data/key.hpp"
#include "commands/validate/advices.hpp"
#include "commands/validate/known_option.hpp"
#include "train/plan/column_readers.hpp"

namespace tenon {
namespace {

// Calls f for each action with the policy that gives it and each objective of its group.
template <class F>
void each_learner(const Wiring& w, F f) {
    for (const Spec& action : w.env_specs.specs) {
        const std::string path = action.role == Role::kAction ? acting_policy(w, action.key) : "";
        const auto policy =
            std::ranges::find(w.parts.policies, path, [](const Part& part) { return part.table->path; });
        for (std::size_t i = 0; policy != w.parts.policies.end() && i < w.objectives.size(); ++i) {
            if (w.objectives[i].unit.group == action.group) {
                f(action, *policy, w.objectives[i], w.parts.objectives[i]);
            }
        }
    }
}

// Whether something other than `stop` says how long the answers are from which the objective learns.
bool knows_lengths(const Wiring& w, const Spec& action, const Part& objective) {
    const std::string named = text_of(objective, "answer");
    const Spec* const answer = named.empty() ? &action : w.env_specs.find(join_keys(action.group, named));
    return !text_of(objective, "length").empty() || !text_of(objective, "packed").empty() ||
           (answer != nullptr && answer->is_text());
}

// Whether acting makes what its objective learns from.
bool learns_what_acts(const Wiring& w, const ObjectivePlan& plan) {
    return plan.by_batch() || w.buffers[*plan.batches.front().buffer].collects();
}

}  // namespace

void advise_stop(const Wiring& w, Problems& problems) {
    each_learner(w, [&](const Spec& action, const Part& policy, const ObjectivePlan& /*plan*/, const Part& objective) {
        const auto drawn = number_of(w, policy, "stop"), counted = number_of(w, objective, "stop");
        if (!drawn || !counted || *drawn == *counted || knows_lengths(w, action, objective)) {
            return;
        }
        const std::string key = key_of(objective, "stop"), other = key_of(policy, "stop");
        problems.push_back(
            input_problem(key + " = " + short_number(*counted) + ", but " + other + " = " + short_number(*drawn) +
                              ": the objective and the policy do not end answers at the same token",
                          place_of(w.manifest, key), "give both the token that ends an answer, or neither"));
        problems.back().also.push_back(place_of(w.manifest, other));
    });
}

void advise_draws(const Wiring& w, Problems& problems) {
    each_learner(w, [&](const Spec& action, const Part& policy, const ObjectivePlan& plan, const Part& objective) {
        const bool reads = plan.reads(action.key) || plan.reads(join_keys(action.group, "log_prob"));
        if (is_on(policy, "draws") || !reads || !learns_what_acts(w, plan)) {
            return;
        }
        const std::string key = key_of(policy, "draws");
        problems.push_back(input_problem(key + " = false, but " + objective.info.name +
                                             " learns from the answers of acting, which are then all zeros",
                                         place_of(w.manifest, key), "leave " + key + " out"));
        problems.back().also.push_back(objective.table->ref.place);
    });
}

}  // namespace tenon
