// SPDX-License-Identifier: Apache-2.0
// The order in which people sort names with numbers: "run-2" before "run-10".
#pragma once

#include <string_view>

namespace tenon {

bool natural_less(std::string_view a, std::string_view b);

}  // namespace tenon
