// SPDX-License-Identifier: Apache-2.0
// The result of one check.
#pragma once

#include <string>

#include "base/error/problem.hpp"

namespace tenon {

enum class CheckOutcome { kPass, kFail, kSkip };

struct Verdict {
    CheckOutcome outcome = CheckOutcome::kPass;
    std::string sentence;  // why it fails or is skipped; empty if it passes
    std::string breaks;    // what it breaks, "tenon/abi/env.h: step"; empty: the subject of the check
};

Verdict passed();
Verdict failed(std::string sentence, std::string breaks = {});
Verdict failed(const Problem& problem, std::string breaks = {});
Verdict skipped(std::string reason);

}  // namespace tenon
