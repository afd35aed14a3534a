// SPDX-License-Identifier: Apache-2.0
// What one check says.
#pragma once

#include <string>

#include "error/problem.hpp"

namespace tenon {

enum class CheckOutcome { kPass, kFail, kSkip };

struct Verdict {
    CheckOutcome outcome = CheckOutcome::kPass;
    std::string sentence;  // why it fails or is skipped; empty where it passes
    std::string breaks;    // what it breaks, "tenon/abi/env.h: step"; empty: what the check is about
};

Verdict passed();
Verdict failed(std::string sentence, std::string breaks = {});
Verdict failed(const Problem& problem, std::string breaks = {});
Verdict skipped(std::string reason);

}  // namespace tenon
