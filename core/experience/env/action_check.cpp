// SPDX-License-Identifier: Apache-2.0
#include "experience/env/action_check.hpp"

#include "base/data/spec_values.hpp"
#include "experience/env/row_values.hpp"

namespace tenon {

bool can_take(const Spec& spec, const View& view, std::uint32_t slot, std::uint32_t lane) {
    const bool is_choice = spec.kind != SpecKind::kBounded && spec.kind != SpecKind::kUnbounded;
    return is_choice ? contains(spec, row_at(view, slot, lane)) : is_finite(view, slot, lane, 1);
}

ActionCheck::ActionCheck(const Composite& specs, const Storage& storage) {
    for (const Spec& spec : specs.specs) {
        const StorageColumn* const column = storage.find(spec.key);
        if (spec.role == Role::kAction && column != nullptr) {
            actions_.push_back({spec, column->view});
        }
    }
}

std::string ActionCheck::fault(const Storage& storage, std::uint32_t lanes) const {
    const std::uint32_t slot = storage.head();
    for (const auto& [spec, view] : actions_) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (!can_take(spec, view, slot, lane) && storage.parked()[lane] == 0) {
                return "it gives lane " + std::to_string(lane) + " the action " + row_text(view, slot, lane) +
                       ", but the env takes " + to_string(spec);
            }
        }
    }
    return "";
}

}  // namespace tenon
