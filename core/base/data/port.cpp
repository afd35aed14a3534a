// SPDX-License-Identifier: Apache-2.0
#include "base/data/port.hpp"

namespace tenon {

std::size_t row_bytes(const Port& port) {
    return static_cast<std::size_t>(port.row.elements()) * size_of(port.dtype);
}

}  // namespace tenon
