// SPDX-License-Identifier: Apache-2.0
#include "train/random_actions.hpp"

#include "data/spec_values.hpp"
#include "random/key.hpp"

namespace tenon {

RandomActions::RandomActions(const Composite& specs, std::uint64_t seed) : key_(make_key(seed, "actions/random")) {
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kAction) {
            actions_.push_back(spec);
        }
    }
}

void RandomActions::act(const Storage& storage, std::uint64_t counter) const {
    std::uint64_t column = 0;
    for (const Spec& spec : actions_) {
        const auto elements = static_cast<std::uint64_t>(spec.shape.elements());
        const View& view = storage.find(spec.key)->view;
        for (std::uint32_t lane = 0; lane < storage.lanes(); ++lane) {
            const std::uint64_t block = (counter * storage.lanes() + lane) * elements;
            const tn_key key{key_.seed, key_.stream + column};  // one stream an action column
            draw(spec, key, block, row_at(view, storage.head(), lane));
        }
        ++column;
    }
}

}  // namespace tenon
