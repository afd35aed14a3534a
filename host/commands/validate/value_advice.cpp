// SPDX-License-Identifier: Apache-2.0
// Warnings about the magnitude of the numbers that networks learn from.
#include <algorithm>
#include <cmath>
#include <string>

#include "commands/validate/advices.hpp"
#include "commands/validate/known_option.hpp"

namespace tenon {
namespace {

constexpr double kLargeReward = 1e3;
constexpr double kNoBound = 1e30;  // floats near their largest stand for "unbounded"

double largest(const Spec& spec) {
    double out = 0;
    for (const auto* bounds : {&spec.low, &spec.high}) {
        for (const double bound : *bounds) {
            out = std::max(out, std::fabs(bound));
        }
    }
    return out;
}

}  // namespace

void advise_reward_scale(const Wiring& w, Problems& problems) {
    const auto normalises = [](const Part& part) {
        const std::string how = text_of(part, "value_normalisation");
        return !how.empty() && how != "none";
    };
    if (!w.learns() || std::ranges::any_of(w.parts.objectives, normalises)) {
        return;
    }
    for (const Spec& spec : w.env_specs.specs) {
        const double most = spec.role == Role::kReward && spec.kind == SpecKind::kBounded ? largest(spec) : 0;
        if (most >= kLargeReward && most < kNoBound) {
            problems.push_back(input_problem(
                "'" + spec.key + "' is as large as " + short_number(most) +
                    ": losses and gradients grow with rewards, and the usual learning rates are for rewards of about 1",
                place_of(w.manifest, "env"),
                "add a transform to [[env.transforms]] that scales or normalises rewards"));
        }
    }
}

void advise_observation_scale(const Wiring& w, Problems& problems) {
    if (!w.learns_by_batch()) {
        return;
    }
    for (const Spec& spec : w.env_specs.specs) {
        const bool is_read = std::ranges::any_of(
            w.objectives, [&](const ObjectivePlan& plan) { return plan.by_batch() && plan.reads(spec.key); });
        if (is_read && spec.role == Role::kObservation && spec.kind == SpecKind::kUnbounded && spec.shape.rank == 1) {
            problems.push_back(input_problem(
                "'" + spec.key +
                    "' has no bounds and is not normalised: on-policy methods learn little from elements "
                    "of very different sizes",
                place_of(w.manifest, "env"), "add a transform to [[env.transforms]] that normalises observations"));
        }
    }
}

}  // namespace tenon
