// SPDX-License-Identifier: Apache-2.0
#include "shared/presets/env_kind.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "base/data/action_mask.hpp"

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

// Whether the column has bounds. Categories always have, because they have few values. So has a column with infinite
// bounds for some elements, because the env has stated which elements are small.
bool has_bounds(const Spec& spec) {
    return spec.kind != SpecKind::kUnbounded &&
           (spec.kind != SpecKind::kBounded ||
            std::ranges::any_of(spec.high, [](double high) { return std::isfinite(high) && high < 1e30; }));
}

std::size_t rank_of(const Spec& spec) {
    const std::size_t rank = spec.shape.rank;
    return spec.group.empty() || rank == 0 ? rank : rank - 1;
}

// Finds the dimension of channels, which are few: it is the smaller one of the outer extents.
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

bool is_vector(const Spec* spec) {
    return rank_of(*spec) <= 1;
}

// Removes and returns the vectors if other columns remain.
std::vector<const Spec*> take_vectors(std::vector<const Spec*>& observed) {
    if (std::ranges::all_of(observed, is_vector)) {
        return {};
    }
    const auto small = std::ranges::stable_partition(observed, std::not_fn(is_vector));
    std::vector<const Spec*> out(small.begin(), small.end());
    observed.erase(small.begin(), small.end());
    return out;
}

std::string observations_of(const std::vector<const Spec*>& observed, bool with_vectors) {
    if (!observed.empty() && std::ranges::all_of(observed, is_vector)) {
        return "vector";
    }
    if (observed.size() != 1) {
        return "mixed";
    }
    if (is_picture(observed.front())) {
        const Shape& shape = observed.front()->shape;
        return name_of_picture(shape, layout_of(shape)) + (with_vectors ? "_and_vectors" : "");
    }
    return rank_of(*observed.front()) == 2 && !with_vectors ? "matrix" : "mixed";
}

// The column's name for policies of the group.
std::string name_of_column(const Spec& spec, const std::string& group) {
    const bool inside = !group.empty() && spec.key.starts_with(group + ".");
    return inside ? spec.key.substr(group.size() + 1) : spec.key;
}

}  // namespace

EnvKind kind_of(const Composite& specs) {
    EnvKind out;
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kAction) {
            out.several_groups = out.several_groups || (!out.actions.empty() && spec.group != out.group);
            out.actions = out.actions.empty() ? name_of_action(spec) : "mixed";
            out.group = spec.group;
        }
    }
    std::vector<const Spec*> observed;
    const std::vector<ActionMask> masks = action_masks(specs);
    for (const Spec& spec : specs.specs) {
        if (std::ranges::find(masks, spec.key, &ActionMask::key) != masks.end()) {
            continue;  // policies apply it without reading it
        }
        if (spec.role == Role::kObservation && spec.group == out.group) {
            observed.push_back(&spec);
        } else if (spec.role == Role::kObservation && spec.key == "state" && is_vector(&spec)) {
            out.state = {spec.key};
        }
    }
    out.bounded = std::ranges::all_of(observed, [](const Spec* spec) { return has_bounds(*spec); });
    const std::vector<const Spec*> vectors = take_vectors(observed);
    out.observations = observations_of(observed, !vectors.empty());
    for (const Spec* spec : observed) {
        out.columns.push_back(name_of_column(*spec, out.group));
        out.all.push_back(spec->key);
        out.layout = is_picture(spec) ? layout_of(spec->shape) : out.layout;
    }
    out.state = out.state.empty() ? out.all : out.state;
    for (const Spec* spec : vectors) {
        out.vectors.push_back(name_of_column(*spec, out.group));
    }
    return out;
}

std::string phrase_of(const EnvKind& kind) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPhrases = {
        {{"vector", "vectors"},
         {"picture", "pictures"},
         {"picture_and_vectors", "pictures and vectors"},
         {"grid", "small pictures"},
         {"grid_and_vectors", "small pictures and vectors"},
         {"matrix", "matrices"}}};
    std::string out = "columns of several shapes";
    for (const auto& [name, phrase] : kPhrases) {
        if (kind.observations == name) {
            out = phrase;
        }
    }
    return out + " as observations and " + kind.actions + " actions" + (kind.group.empty() ? "" : " of several agents");
}

}  // namespace tenon
