// SPDX-License-Identifier: Apache-2.0
#include "base/data/action_mask.hpp"

#include <algorithm>
#include <numeric>

namespace tenon {
namespace {

constexpr const char* kSuffix = "_mask";

// The observation named like the mask of this action; null if the env has none.
const Spec* find_mask(const Composite& specs, const Spec& action) {
    const Spec* found = action.role == Role::kAction ? specs.find(action.key + kSuffix) : nullptr;
    return found != nullptr && found->role == Role::kObservation ? found : nullptr;
}

// The number of categories of each choice in a row of the action; empty if the action is not categorical.
std::span<const std::int64_t> parts_of(const Spec& action) {
    const bool single = action.kind == SpecKind::kCategorical && action.shape.elements() == 1;
    const bool hot = action.kind == SpecKind::kOneHot && action.shape.rank == 1;
    const bool several = action.kind == SpecKind::kMultiCategorical && action.shape.rank == 1;
    return single || hot || several ? std::span(action.categories) : std::span<const std::int64_t>{};
}

std::int64_t sum(std::span<const std::int64_t> parts) {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

std::size_t draw_one(std::span<const std::uint8_t> mask, tn_key key, std::uint64_t counter) {
    const bool any = allows_any(mask);
    const auto counts = [&](std::uint8_t allowed) { return allowed != 0 || !any; };
    const auto choices = static_cast<std::uint32_t>(std::count_if(mask.begin(), mask.end(), counts));
    std::uint32_t skip = tn_below(tn_philox(key, counter).word[0], choices);
    const auto chosen =
        std::find_if(mask.begin(), mask.end(), [&](std::uint8_t allowed) { return counts(allowed) && skip-- == 0; });
    return static_cast<std::size_t>(chosen - mask.begin());
}

}  // namespace

std::vector<ActionMask> action_masks(const Composite& specs) {
    std::vector<ActionMask> out;
    for (const Spec& action : specs.specs) {
        if (const Spec* mask = find_mask(specs, action)) {
            const std::span<const std::int64_t> parts = parts_of(action);
            out.push_back({.key = mask->key, .action = action.key, .parts = {parts.begin(), parts.end()}});
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
        const std::string named = "'" + mask->key + "' has the key of a mask for '" + action.key + "', ";
        const std::span<const std::int64_t> parts = parts_of(action);
        if (parts.empty()) {
            return named +
                   "but only categorical, one-hot and multi-categorical actions have masks; give "
                   "the column another key";
        }
        if (mask->kind != SpecKind::kBinary || mask->dtype != DType::kBool || mask->shape != Shape{sum(parts)}) {
            const std::string size = std::to_string(sum(parts));
            return named + "which has " + size + " categories" + (parts.size() > 1 ? " in all" : "") +
                   ", so it must be bool [" + size + "]; it is " + to_string(*mask);
        }
    }
    return "";
}

bool allows_any(std::span<const std::uint8_t> mask) {
    return std::any_of(mask.begin(), mask.end(), [](std::uint8_t allowed) { return allowed != 0; });
}

bool allows_any(std::span<const std::uint8_t> mask, std::span<const std::int64_t> parts) {
    std::size_t first = 0;
    return std::all_of(parts.begin(), parts.end(), [&](std::int64_t size) {
        const auto part = mask.subspan(first, static_cast<std::size_t>(size));
        first += part.size();
        return allows_any(part);
    });
}

std::size_t ActionMask::size() const {
    return static_cast<std::size_t>(sum(parts));
}

void draw_allowed(const Spec& action, std::span<const std::uint8_t> mask, tn_key key, std::uint64_t counter,
                  void* row) {
    with_element(action.dtype, [&](auto zero) {
        auto* const out = static_cast<decltype(zero)*>(row);
        const auto one = static_cast<decltype(zero)>(1);
        if (action.kind == SpecKind::kOneHot) {
            std::fill_n(out, mask.size(), zero);
            out[draw_one(mask, key, counter)] = one;
            return;
        }
        std::size_t first = 0;
        std::size_t part = 0;
        for (const std::int64_t size : parts_of(action)) {
            const auto allowed = mask.subspan(first, static_cast<std::size_t>(size));
            out[part] = static_cast<decltype(zero)>(draw_one(allowed, key, counter + part));
            first += allowed.size();
            ++part;
        }
    });
}

}  // namespace tenon
