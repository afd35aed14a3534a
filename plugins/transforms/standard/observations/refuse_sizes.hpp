// SPDX-License-Identifier: Apache-2.0
// The sentence where a column has other dimensions than a transform needs.
#pragma once

#include <cstddef>
#include <string>

#include "tenon/guard.hpp"

[[noreturn]] inline void refuse_sizes(const std::string& column, std::size_t sizes, const std::string& but) {
    throw tenon::InvalidArgument("column '" + column + "' has " + std::to_string(sizes) +
                                 (sizes == 1 ? " dimension" : " dimensions") + ", but " + but);
}
