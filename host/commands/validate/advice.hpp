// SPDX-License-Identifier: Apache-2.0
// Warnings of `tenon validate` about what in a wired manifest is probably unintended. None is certainly a mistake, and
// a warning is given only if its reason can be found in the manifest and the specs.
#pragma once

#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

struct Advice {
    std::string_view name;  // as in validate.allow
    Problem problem;        // its help names the key to set
};

// The warnings, without those in validate.allow. Requires a complete wiring.
std::vector<Advice> advice_of(const Wiring& wiring);

}  // namespace tenon
