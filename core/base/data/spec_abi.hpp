// SPDX-License-Identifier: Apache-2.0
// Conversion of specs to and from the ABI.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/data/spec.hpp"

namespace tenon {

// Copies and checks a spec that a plugin published. Messages begin with `who`, the component's name, and name the
// column. Bounds that are the same for all elements become one, so that equal specs compare equal.
Result<Spec> read_spec(const tn_spec& spec, std::string_view who);
Result<Composite> read_specs(const tn_spec* const* specs, std::uint32_t count, std::string_view who);

// Specs in the form that a plugin reads. The table borrows the composite, which must outlive it unchanged.
class SpecTable {
public:
    explicit SpecTable(const Composite& composite);

    [[nodiscard]] const tn_spec* const* data() const { return pointers_.data(); }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(pointers_.size()); }

private:
    std::vector<tn_spec> specs_;
    std::vector<const tn_spec*> pointers_;
};

// One spec in the form that a plugin reads; its pointers refer to `spec`.
tn_spec to_abi(const Spec& spec);

}  // namespace tenon
