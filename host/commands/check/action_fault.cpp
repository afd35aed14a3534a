// SPDX-License-Identifier: Apache-2.0
#include "commands/check/action_fault.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "base/data/spec_values.hpp"
#include "base/data/view.hpp"
#include "experience/env/action_check.hpp"
#include "experience/env/row_values.hpp"

namespace tenon {

std::string fault_of_action(const Spec& spec, const void* row, bool drawn) {
    auto* const data = const_cast<void*>(row);   // a View needs a mutable pointer; the row is only read
    std::vector<std::int64_t> extents = {1, 1};  // slot and lane
    std::ranges::copy(spec.shape.extents(), std::back_inserter(extents));
    const View view = dense(data, spec.dtype, Shape(std::span<const std::int64_t>(extents)));
    const bool possible = drawn ? can_take(spec, view, 0, 0) : contains(spec, row);
    return possible ? "" : row_text(view, 0, 0) + ", but the env takes " + to_string(spec);
}

}  // namespace tenon
