// SPDX-License-Identifier: Apache-2.0
// The lanes of an env that answers later: which of them are in a step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experience/replay/callee.hpp"
#include "tenon/abi/env.h"

namespace tenon {

struct LateSteps {
    std::vector<std::uint8_t> under_way;   // [lane] submitted, and not arrived
    std::vector<std::uint32_t> reported;   // room for the lanes that an env reports
    std::vector<std::uint8_t> not_called;  // [lane] 1: takes no part in the present call

    void resize(std::uint32_t lanes);
    // Only these lanes take part in the present call: a submit, or what follows a poll.
    void call_only(std::span<const std::uint32_t> called);
    // The first `count` lanes that the env has reported, in ascending order; they are no longer pending. It is a
    // problem if the env reports a lane that was not pending.
    Result<std::span<const std::uint32_t>> take(std::uint32_t count, const Callee<tn_env_api>& env);
};

}  // namespace tenon
