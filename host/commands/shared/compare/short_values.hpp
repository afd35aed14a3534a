// SPDX-License-Identifier: Apache-2.0
// Values of manifests in names of groups.
#pragma once

#include <string>
#include <vector>

namespace tenon {

// Fractions have four digits, or as many as keep different values different: "0.001401" for "0.0014008370581921155".
// All other values stay as they are.
std::vector<std::string> short_values(const std::vector<std::string>& values);

}  // namespace tenon
