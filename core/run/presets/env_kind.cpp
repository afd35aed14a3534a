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

bool is_picture(const Spec* spec) {
    return rank_of(*spec) == 3 && spec->group.empty();
}

std::string name_of_picture(const Shape& shape, const std::string& layout) {
    const bool channels_last = layout == "hwc";
    return std::min(shape[channels_last ? 0 : 1], shape[channels_last ? 1 : 2]) < kLeastSide ? "grid" : "picture";
}

// Leaves only the column that names the kind: a picture, and no small columns beside it.
std::string observations_of(std::vector<const Spec*>& observed) {
    const auto rank_is = [](std::size_t least, std::size_t most) {
        return [=](const Spec* spec) { return rank_of(*spec) >= least && rank_of(*spec) <= most; };
    };
    if (std::ranges::all_of(observed, rank_is(0, 1))) {
        return observed.empty() ? "mixed" : "vector";
    }
    if (std::ranges::count_if(observed, is_picture) == 1 && std::ranges::none_of(observed, rank_is(2, 2))) {
        std::erase_if(observed, [](const Spec* spec) { return !is_picture(spec); });
        const Shape& shape = observed.front()->shape;
        return name_of_picture(shape, layout_of(shape));
    }
    return observed.size() == 1 && rank_of(*observed.front()) == 2 ? "matrix" : "mixed";
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
        }
    }
    out.observations = observations_of(observed);
    for (const Spec* spec : observed) {
        const bool inside = !out.group.empty() && spec->key.starts_with(out.group + ".");
        out.columns.push_back(inside ? spec->key.substr(out.group.size() + 1) : spec->key);
        out.bounded = out.bounded && has_bounds(*spec);
        out.layout = is_picture(spec) ? layout_of(spec->shape) : out.layout;
    }
    return out;
}

std::string phrase_of(const EnvKind& kind) {
    const std::string observed = kind.observations == "vector"    ? "vectors"
                                 : kind.observations == "picture" ? "pictures"
                                 : kind.observations == "grid"    ? "small pictures"
                                 : kind.observations == "matrix"  ? "matrices"
                                                                  : "columns of several shapes";
    return observed + " as observations and " + kind.actions + " actions" +
           (kind.group.empty() ? "" : " of several agents");
}

}  // namespace tenon
