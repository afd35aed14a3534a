// SPDX-License-Identifier: Apache-2.0
// The functions for numbers and products at the beginning of an exported file.
#pragma once

#include <string>

#include "base/data/dtype.hpp"

namespace tenon {

// `code`: the code that calls them; unused functions are left out.
std::string c_functions(DType real, const std::string& code);

}  // namespace tenon
