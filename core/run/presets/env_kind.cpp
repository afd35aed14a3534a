// SPDX-License-Identifier: Apache-2.0
#include "run/presets/env_kind.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tenon {
namespace {

std::string name_of_action(const Spec& spec) {
    switch (spec.kind) {
        case SpecKind::kCategorical:
            return "discrete";
        case SpecKind::kOneHot:
            return "one_hot";
        case SpecKind::kMultiCategorical:
            return "multi_discrete";
        case SpecKind::kBinary:
            return "binary";
        case SpecKind::kBounded:
        case SpecKind::kUnbounded:
            return "continuous";
    }
    return "mixed";
}

// Categories have few values by themselves. A bound at infinity in some elements is one nevertheless: the env has said
// which elements are small.
bool has_bounds(const Spec& spec) {
    return spec.kind != SpecKind::kUnbounded &&
           (spec.kind != SpecKind::kBounded ||
            std::ranges::any_of(spec.high, [](double high) { return std::isfinite(high) && high < 1e30; }));
}

std::size_t rank_of(const Spec& spec) {
    const std::size_t rank = spec.shape.rank;
    return spec.group.empty() || rank == 0 ? rank : rank - 1;
}

// Channels are few: the smaller one of the outer extents.
std::string layout_of(const Shape& shape) {
    return shape[2] < shape[0] ? "hwc" : "chw";
}

std::string observations_of(const std::vector<const Spec*>& observed, std::string& layout) {
    if (std::ranges::all_of(observed, [](const Spec* spec) { return rank_of(*spec) <= 1; })) {
        return "vector";
    }
    if (observed.size() > 1 || rank_of(*observed.front()) != 3 || !observed.front()->group.empty()) {
        return "mixed";
    }
    const Shape& shape = observed.front()->shape;
    layout = layout_of(shape);
    const bool channels_last = layout == "hwc";
    return std::min(shape[channels_last ? 0 : 1], shape[channels_last ? 1 : 2]) < kLeastSide ? "grid" : "picture";
}

}  // namespace

EnvKind kind_of(const Composite& specs) {
    EnvKind out;
    std::vector<const Spec*> observed;
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kAction) {
            out.actions = out.actions.empty() ? name_of_action(spec) : "mixed";
            out.group = spec.group;
        }
    }
    out.bounded = true;
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kObservation && spec.group == out.group) {
            observed.push_back(&spec);
            const bool inside = !out.group.empty() && spec.key.starts_with(out.group + ".");
            out.columns.push_back(inside ? spec.key.substr(out.group.size() + 1) : spec.key);
            out.bounded = out.bounded && has_bounds(spec);
        }
    }
    out.observations = observed.empty() ? "mixed" : observations_of(observed, out.layout);
    return out;
}

std::string phrase_of(const EnvKind& kind) {
    const std::string observed = kind.observations == "vector"    ? "vectors"
                                 : kind.observations == "picture" ? "pictures"
                                 : kind.observations == "grid"    ? "small pictures"
                                                                  : "columns of several shapes";
    return observed + " as observations and " + kind.actions + " actions" +
           (kind.group.empty() ? "" : " of several agents");
}

}  // namespace tenon
