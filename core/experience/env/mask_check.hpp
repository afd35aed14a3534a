// SPDX-License-Identifier: Apache-2.0
// Ends the run before a policy acts on an action mask that allows nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/data/action_mask.hpp"
#include "base/data/column_table.hpp"
#include "base/data/spec.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/env.h"

namespace tenon {

class MaskCheck {
public:
    // The columns are those of the outermost side, and must stay where they are until the next bind.
    void bind(const Composite& specs, const ColumnTable& columns, const Storage& storage);

    // Checks that running lanes have an allowed action: at slot `now` and, where `before` was truncated, in the final
    // observation. Otherwise it is a problem of this env.
    [[nodiscard]] Status all(const Callee<tn_env_api>& env, std::uint32_t now,
                             std::optional<std::uint32_t> before) const {
        return masks_.empty() ? Status() : each(env, now, before);
    }
    [[nodiscard]] Status of(const Callee<tn_env_api>& env, std::uint32_t lane, std::uint32_t now,
                            std::optional<std::uint32_t> before) const;

private:
    struct Choices {
        View allowed;
        View present;  // without data if all agents always are
    };
    struct BoundMask {
        ActionMask mask;
        Choices now;    // of the slot to act in
        Choices final;  // of the slot in which an episode ended
    };

    [[nodiscard]] Status each(const Callee<tn_env_api>& env, std::uint32_t now,
                              std::optional<std::uint32_t> before) const;

    std::vector<BoundMask> masks_;
    const Storage* storage_ = nullptr;
};

}  // namespace tenon
