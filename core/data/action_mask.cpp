// SPDX-License-Identifier: Apache-2.0
#include "data/action_mask.hpp"

#include <algorithm>

namespace tenon {
namespace {

constexpr const char* kSuffix = "_mask";

// The observation that is called like the mask of this action; null where the env has none.
const Spec* find_mask(const Composite& specs, const Spec& action) {
    const Spec* found = action.role == Role::kAction ? specs.find(action.key + kSuffix) : nullptr;
    return found != nullptr && found->role == Role::kObservation ? found : nullptr;
}

}  // namespace

std::vector<ActionMask> action_masks(const Composite& specs) {
    std::vector<ActionMask> out;
    for (const Spec& action : specs.specs) {
        if (const Spec* mask = find_mask(specs, action)) {
            out.push_back({.key = mask->key, .action = action.key, .choices = action.categories[0]});
        }
    }
    return out;
}

std::string fault_of_masks(const Composite& specs) {
    for (const Spec& action : specs.specs) {
        const Spec* const mask = find_mask(specs, action);
        if (mask == nullptr) {
            continue;
        }
        const std::string named = "'" + mask->key + "' would be the mask of '" + action.key + "', ";
        if (action.kind != SpecKind::kCategorical || action.shape.elements() != 1) {
            return named + "and only a single categorical action has one; call the column something else";
        }
        if (mask->kind != SpecKind::kBinary || mask->dtype != DType::kBool ||
            mask->shape != Shape{action.categories[0]}) {
            return named + "which has " + std::to_string(action.categories[0]) +
                   " categories, so it must be binary: bool [" + std::to_string(action.categories[0]) + "]; it is " +
                   to_string(*mask);
        }
    }
    return "";
}

bool allows_any(std::span<const std::uint8_t> mask) {
    return std::any_of(mask.begin(), mask.end(), [](std::uint8_t allowed) { return allowed != 0; });
}

void draw_allowed(const Spec& action, std::span<const std::uint8_t> mask, tn_key key, std::uint64_t counter,
                  void* row) {
    const bool any = allows_any(mask);
    const auto counts = [&](std::uint8_t allowed) { return allowed != 0 || !any; };
    const auto choices = static_cast<std::uint32_t>(std::count_if(mask.begin(), mask.end(), counts));
    std::uint32_t skip = tn_below(tn_philox(key, counter).word[0], choices);
    const auto chosen =
        std::find_if(mask.begin(), mask.end(), [&](std::uint8_t allowed) { return counts(allowed) && skip-- == 0; });
    with_element(action.dtype, [&](auto zero) {
        *static_cast<decltype(zero)*>(row) = static_cast<decltype(zero)>(chosen - mask.begin());
    });
}

}  // namespace tenon
