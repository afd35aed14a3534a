// SPDX-License-Identifier: Apache-2.0
// The functions of numbers and products that an exported file begins with.
#pragma once

#include <string>

#include "base/data/dtype.hpp"

namespace tenon {

// `code`: what calls them; functions that it does not use are left out.
std::string c_functions(DType real, const std::string& code);

}  // namespace tenon
