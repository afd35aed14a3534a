// SPDX-License-Identifier: Apache-2.0
// The interpreter and its packages, for `tenon doctor`.
#pragma once

#include <string>
#include <vector>

#include "tenon/needs.hpp"

namespace bridge {

// The Python that workers run in unless the manifest names another one, and whether it has these packages.
tenon::Need python_with(const std::vector<std::string>& packages, const std::string& use);

}  // namespace bridge
