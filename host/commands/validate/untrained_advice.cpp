// SPDX-License-Identifier: Apache-2.0
// Warns of networks that keep the random weights they begin with: nothing trains them, reads them from a file or writes
// them. An expert that nobody has trained teaches noise, and so does an opponent.
#include <algorithm>
#include <array>
#include <string>

#include "commands/validate/advices.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

bool is_trained(const Wiring& w, std::size_t network) {
    return std::ranges::any_of(w.objectives, [&](const ObjectivePlan& plan) {
        return std::ranges::any_of(plan.stages, [&](const StagePlan& stage) {
            return std::ranges::find(stage.owned, network) != stage.owned.end();
        });
    });
}

// Whether an objective sets a trainable parameter itself, as TRPO does.
bool is_set(const Wiring& w, const NetworkLayout& layout) {
    return std::ranges::any_of(w.objectives, [&](const ObjectivePlan& plan) {
        return std::ranges::any_of(std::array{&plan.update, &plan.prepare, &plan.conclude}, [&](const auto* program) {
            return std::ranges::any_of(layout.parameters, [&](const Parameter& one) {
                return one.trainable && std::ranges::find(program->graph.state_writes, layout.role + "/" + one.name,
                                                          &graph::Named::name) != program->graph.state_writes.end();
            });
        });
    });
}

bool is_written(const Wiring& w, const std::string& role) {
    return std::ranges::any_of(
        w.hooks, [&](const HookPlan& hook) { return std::ranges::find(hook.writes, role) != hook.writes.end(); });
}

}  // namespace

void advise_untrained(const Wiring& w, Problems& problems) {
    if (!w.learns()) {
        return;  // a manifest that only collects is meant to have the weights with which it begins
    }
    for (std::size_t i = 0; i < w.layouts.networks.size(); ++i) {
        const NetworkLayout& layout = w.layouts.networks[i];
        const auto policy = std::ranges::find(w.manifest.policies, layout.role, &PolicyTable::name);
        if (policy == w.manifest.policies.end() || !policy->init.empty() || is_trained(w, i) || is_set(w, layout) ||
            is_written(w, layout.role) || std::ranges::none_of(layout.parameters, &Parameter::trainable)) {
            continue;
        }
        const std::string path = "policy." + layout.role;
        problems.push_back(input_problem(
            "[" + path + "] keeps the random weights that it begins with: " +
                (policy->freeze ? "it is frozen, has no init, and no hook writes it"
                                : "no objective trains it, it has no init, and no hook writes it"),
            place_of(w.manifest, path),
            policy->freeze
                ? "set " + path + ".init to a run or a file of weights, or add the hook that writes it"
                : "add an objective that trains it, or set " + path + ".init to a run or a file of weights"));
    }
}

}  // namespace tenon
