// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/search/population.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "commands/sweep/search/draws.hpp"

namespace tenon {
namespace {

// Reflects at the bounds: clamped members would all have the same value.
double within(double value, double last) {
    const double turned = value < 0 ? -value : value > last ? 2 * last - value : value;
    return std::clamp(turned, 0.0, last);
}

// Moves a value. The length of a move is random: with a fixed one, two copies of a member would be the same with a
// probability of one half.
double moved(const Dimension& dimension, double value, const PopulationRules& rules, Draws& draws) {
    const bool anew = draws.uniform() < rules.resample;
    const double way = draws.uniform() < 0.5 ? 1 : -1;
    const double position = draws.uniform();
    const double factor = 0.5 + draws.uniform();
    if (dimension.choices > 0) {
        return anew ? static_cast<double>(draws.below(dimension.choices))
                    : within(value + way, static_cast<double>(dimension.choices - 1));
    }
    const double at = position_of(dimension, value) + way * factor * rules.step;
    return value_at(dimension, anew ? position : within(at, 1));
}

}  // namespace

std::vector<MemberPlan> population_plan(const Space& space, std::span<const Observation> members,
                                        const PopulationRules& rules, std::uint64_t seed, std::size_t generation) {
    std::vector<std::pair<double, std::size_t>> order;  // the best first; of equal ones, the earlier
    for (const Observation& member : members) {
        order.emplace_back(std::isfinite(member.loss) ? member.loss : HUGE_VAL, order.size());
    }
    std::ranges::sort(order);
    const std::size_t count = members.size();
    const auto share = static_cast<std::size_t>(std::ceil(rules.share * static_cast<double>(count)));
    const auto alive =
        static_cast<std::size_t>(std::ranges::count_if(order, [](const auto& each) { return each.first < HUGE_VAL; }));
    const std::size_t models = std::min({share, alive, count / 2 > 0 ? count / 2 : 1});
    std::vector<MemberPlan> out;
    for (const Observation& member : members) {
        out.push_back({.from = out.size(), .point = member.point});
    }
    for (std::size_t rank = 0; rank < count && models > 0; ++rank) {
        const auto& [loss, number] = order[rank];
        if (loss < HUGE_VAL && rank + share < count) {
            continue;
        }
        Draws draws(seed, "sweep/population", (static_cast<std::uint64_t>(generation) << 16U) + number);
        const auto& [model_loss, model] = order[draws.below(models)];
        if (model_loss < loss) {
            out[number].from = model;
            for (std::size_t i = 0; i < space.size(); ++i) {
                out[number].point[i] = moved(space[i], members[model].point[i], rules, draws);
            }
        }
    }
    return out;
}

}  // namespace tenon
