// SPDX-License-Identifier: Apache-2.0
#include "train/collect/random_actions.hpp"

#include <algorithm>
#include <ranges>

#include "base/data/spec_values.hpp"
#include "base/random/key.hpp"

namespace tenon {

RandomActions::RandomActions(const Composite& specs, std::uint64_t seed, LaneShare share)
    : key_(make_key(seed, "actions/random")), share_(share) {
    const std::vector<ActionMask> masks = action_masks(specs);
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kAction) {
            const auto mask = std::find_if(masks.begin(), masks.end(),
                                           [&](const ActionMask& each) { return each.action == spec.key; });
            actions_.push_back({.spec = spec, .mask = mask == masks.end() ? std::nullopt : std::optional(*mask)});
        }
    }
}

void RandomActions::act(const Storage& storage, std::uint64_t counter) const {
    draw_rows(storage, counter, std::views::iota(std::uint32_t{0}, storage.lanes()));
}

void RandomActions::act(const Storage& storage, std::uint64_t counter, std::span<const std::uint32_t> lanes) const {
    draw_rows(storage, counter, lanes);
}

template <class Lanes>
void RandomActions::draw_rows(const Storage& storage, std::uint64_t counter, const Lanes& lanes) const {
    const std::uint32_t all = share_.all == 0 ? storage.lanes() : share_.all;
    std::uint64_t column = 0;
    for (const Column& action : actions_) {
        const auto elements = static_cast<std::uint64_t>(action.spec.shape.elements());
        const View& view = storage.find(action.spec.key)->view;
        const View* const mask = action.mask ? &storage.find(action.mask->key)->view : nullptr;
        const tn_key key{key_.seed, key_.stream + column};  // one stream per action column
        for (const std::uint32_t lane : lanes) {
            const std::uint64_t block = (counter * all + share_.first + lane) * elements;
            void* const row = row_at(view, storage.head(), lane);
            if (mask == nullptr) {
                draw(action.spec, key, block, row);
                continue;
            }
            const auto* allowed = static_cast<const std::uint8_t*>(row_at(*mask, storage.head(), lane));
            draw_allowed(action.spec, {allowed, action.mask->size()}, key, block, row);
        }
        ++column;
    }
}

}  // namespace tenon
