// SPDX-License-Identifier: Apache-2.0
#include "compute/parameters/optimiser.hpp"

#include <string>
#include <utility>

#include "compute/parameters/rules.hpp"

namespace tenon {

std::vector<std::string_view> state_names(const OptimiserPlan& plan) {
    return std::visit([](const auto& rule) { return names_of_state(rule); }, plan.rule);
}

Status begin_optimiser(Network& network, DType real, const OptimiserPlan& plan) {
    network.optimiser_state.clear();
    network.steps = 0;
    for (const std::string_view name : state_names(plan)) {
        Slab slab = TENON_TRY(make_slab(network.layout, network.layout.trainable_size * size_of(real)));
        network.optimiser_state.push_back({.name = std::string(name), .slab = std::move(slab)});
    }
    return {};
}

void optimiser_step(Network& network, DType real, const OptimiserPlan& plan, std::span<const double> live, Pool* pool) {
    ++network.steps;
    std::visit([&](const auto& rule) { step(network, real, rule, live, pool); }, plan.rule);
}

}  // namespace tenon
