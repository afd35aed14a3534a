// SPDX-License-Identifier: Apache-2.0
// Specs on their way across the ABI, in both directions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/spec.hpp"

namespace tenon {

// Copies and checks what a plugin published. Sentences begin with `who`, the component's name, and name the column.
// Bounds that are the same for all elements become one, so that equal specs compare equal.
Result<Spec> read_spec(const tn_spec& spec, std::string_view who);
Result<Composite> read_specs(const tn_spec* const* specs, std::uint32_t count, std::string_view who);

// Specs as a plugin reads them. The table borrows the composite, which must outlive it and stay as it is.
class SpecTable {
public:
    explicit SpecTable(const Composite& composite);

    [[nodiscard]] const tn_spec* const* data() const { return pointers_.data(); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(pointers_.size()); }

private:
    std::vector<tn_spec> specs_;
    std::vector<const tn_spec*> pointers_;
};

// One spec as a plugin reads it; its pointers go into `spec`.
tn_spec to_abi(const Spec& spec);

}  // namespace tenon
