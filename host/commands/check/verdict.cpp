// SPDX-License-Identifier: Apache-2.0
#include "commands/check/verdict.hpp"

#include <utility>

namespace tenon {

Verdict passed() {
    return {};
}

Verdict failed(std::string sentence, std::string breaks) {
    return {.outcome = CheckOutcome::kFail, .sentence = std::move(sentence), .breaks = std::move(breaks)};
}

Verdict failed(const Problem& problem, std::string breaks) {
    return failed(problem.sentence, std::move(breaks));
}

Verdict skipped(std::string reason) {
    return {.outcome = CheckOutcome::kSkip, .sentence = std::move(reason), .breaks = {}};
}

}  // namespace tenon
