// SPDX-License-Identifier: Apache-2.0
#include "experience/env/joint_specs.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tenon {
namespace {

bool is_bounded_observation(const Spec& spec) {
    return spec.role == Role::kObservation && spec.kind == SpecKind::kBounded;
}

// Widens the bounds so that they contain the values of both.
void widen(Spec& spec, const Spec& other) {
    if (other.kind != SpecKind::kBounded) {
        spec.kind = SpecKind::kUnbounded;
        spec.low.clear();
        spec.high.clear();
        return;
    }
    const auto join = [](std::vector<double>& ours, const std::vector<double>& theirs, auto outer) {
        if (ours.size() < theirs.size()) {
            ours.assign(theirs.size(), ours.front());
        }
        for (std::size_t i = 0; i < ours.size(); ++i) {
            ours[i] = outer(ours[i], theirs[theirs.size() == 1 ? 0 : i]);
        }
    };
    join(spec.low, other.low, [](double a, double b) { return std::min(a, b); });
    join(spec.high, other.high, [](double a, double b) { return std::max(a, b); });
}

Composite without_bounds(Composite specs) {
    for (Spec& spec : specs.specs) {
        if (is_bounded_observation(spec)) {
            spec.kind = SpecKind::kUnbounded;
            spec.low.clear();
            spec.high.clear();
        }
    }
    return specs;
}

}  // namespace

std::string join_specs(Composite& specs, std::string_view side, const Composite& other, std::string_view other_side) {
    std::string text = difference(without_bounds(specs), side, without_bounds(other), other_side);
    if (!text.empty()) {
        return text;
    }
    for (Spec& spec : specs.specs) {
        if (is_bounded_observation(spec)) {
            widen(spec, *other.find(spec.key));
        }
    }
    return text;
}

}  // namespace tenon
