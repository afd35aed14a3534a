// SPDX-License-Identifier: Apache-2.0
#include "base/data/action_mask.hpp"

#include <algorithm>
#include <numeric>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

constexpr const char* kSuffix = "_mask";

// The observation named like the mask of this action; null if the env has none.
const Spec* find_mask(const Composite& specs, const Spec& action) {
    const Spec* found = action.role == Role::kAction ? specs.find(action.key + kSuffix) : nullptr;
    return found != nullptr && found->role == Role::kObservation ? found : nullptr;
}

std::size_t agents_of(const Spec& action) {
    return action.group.empty() ? 1 : static_cast<std::size_t>(action.shape[0]);
}

// The number of categories of each choice of one agent; empty if the action is not categorical.
std::span<const std::int64_t> parts_of(const Spec& action) {
    const std::uint32_t of_agents = action.group.empty() ? 0 : 1;
    const auto agents = static_cast<std::int64_t>(agents_of(action));
    const bool single = action.kind == SpecKind::kCategorical && action.shape.elements() == agents;
    const bool hot = action.kind == SpecKind::kOneHot && action.shape.rank == of_agents + 1;
    const bool several = action.kind == SpecKind::kMultiCategorical && action.shape.rank == of_agents + 1;
    return single || hot || several ? std::span(action.categories) : std::span<const std::int64_t>{};
}

std::int64_t sum(std::span<const std::int64_t> parts) {
    return std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
}

bool allows_any(std::span<const std::uint8_t> mask) {
    return std::ranges::any_of(mask, [](std::uint8_t allowed) { return allowed != 0; });
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
            const Spec* const present = action.group.empty() ? nullptr : specs.find(join_keys(action.group, "present"));
            out.push_back({.key = mask->key,
                           .action = action.key,
                           .present = present == nullptr ? "" : present->key,
                           .parts = {parts.begin(), parts.end()},
                           .agents = agents_of(action)});
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
        const Shape shape = action.group.empty() ? Shape{sum(parts)} : Shape{action.shape[0], sum(parts)};
        if (mask->kind != SpecKind::kBinary || mask->dtype != DType::kBool || mask->shape != shape) {
            return named + "which has " + counted(sum(parts), "category", "categories") +
                   (parts.size() > 1 ? " in all" : "") + (action.group.empty() ? "" : " for each agent") +
                   ", so it must be bool " + to_string(shape) + "; it is " + to_string(*mask);
        }
    }
    return "";
}

std::size_t ActionMask::of_one() const {
    return static_cast<std::size_t>(sum(parts));
}

std::optional<std::size_t> agent_without_choice(const ActionMask& mask, std::span<const std::uint8_t> allowed,
                                                std::span<const std::uint8_t> present) {
    for (std::size_t agent = 0; agent < mask.agents; ++agent) {
        for (const std::int64_t size : mask.parts) {
            const auto part = allowed.first(static_cast<std::size_t>(size));
            allowed = allowed.subspan(part.size());
            if (!allows_any(part) && (present.empty() || present[agent] != 0)) {
                return agent;
            }
        }
    }
    return std::nullopt;
}

void draw_allowed(const Spec& action, std::span<const std::uint8_t> allowed, tn_key key, std::uint64_t counter,
                  void* row) {
    with_element(action.dtype, [&](auto zero) {
        auto* const out = static_cast<decltype(zero)*>(row);
        const bool hot = action.kind == SpecKind::kOneHot;
        if (hot) {
            std::fill_n(out, allowed.size(), zero);
        }
        std::size_t first = 0;
        std::size_t part = 0;
        for (std::size_t agent = 0; agent < agents_of(action); ++agent) {
            for (const std::int64_t size : parts_of(action)) {
                const std::size_t one =
                    draw_one(allowed.subspan(first, static_cast<std::size_t>(size)), key, counter + part);
                out[hot ? first + one : part] = hot ? static_cast<decltype(zero)>(1) : static_cast<decltype(zero)>(one);
                first += static_cast<std::size_t>(size);
                ++part;
            }
        }
    });
}

}  // namespace tenon
