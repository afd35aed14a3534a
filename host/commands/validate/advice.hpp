// SPDX-License-Identifier: Apache-2.0
// What in a wired manifest is probably not meant: warnings of `tenon validate`. Nothing here is a mistake for sure, and
// a warning is given only where its reason can be read from the manifest and the specs.
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

// Without those of validate.allow. Requires a complete wiring.
std::vector<Advice> advice_of(const Wiring& wiring);

}  // namespace tenon
