// SPDX-License-Identifier: Apache-2.0
// The result of one check.
#pragma once

#include <string>
#include <utility>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"

namespace tenon {

enum class CheckOutcome { kPass, kFail, kSkip };

struct Verdict {
    CheckOutcome outcome = CheckOutcome::kPass;
    std::string sentence;  // why it fails or is skipped; empty if it passes
    std::string breaks;    // what it breaks, "tenon/abi/env.h: step"; empty: the subject of the check

    Verdict() = default;
    Verdict(CheckOutcome result, std::string why, std::string what = {})
        : outcome(result), sentence(std::move(why)), breaks(std::move(what)) {}
    // A failure, so that a check can pass on problems by TENON_TRY.
    Verdict(const Problem& problem) : Verdict(CheckOutcome::kFail, problem.sentence) {}
    Verdict(const BoxedProblem& problem) : Verdict(*problem) {}  // by TENON_TRY
};

inline Verdict passed() {
    return {};
}
inline Verdict failed(std::string sentence, std::string breaks = {}) {
    return {CheckOutcome::kFail, std::move(sentence), std::move(breaks)};
}
inline Verdict failed(const Problem& problem, std::string breaks = {}) {
    return failed(problem.sentence, std::move(breaks));
}
inline Verdict skipped(std::string reason) {
    return {CheckOutcome::kSkip, std::move(reason)};
}

}  // namespace tenon
