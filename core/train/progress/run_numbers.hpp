// SPDX-License-Identifier: Apache-2.0
// The numbers of a run that its programs read, and a call with them.
#pragma once

#include <cstdint>
#include <span>

#include "compute/exec/program.hpp"

namespace tenon {

struct RunNumbers {
    std::span<const double> live;
    double frames = 0;
    double updates = 0;
    double progress = 0;
    bool same_parameters = false;  // unchanged since the program's previous call
};

// Without outputs, terms and controls, which the caller adds.
inline Call make_call(const Sizes& sizes, std::span<const void* const> inputs, const RunNumbers& numbers,
                      std::uint64_t counter) {
    Call call;
    call.sizes = sizes;
    call.inputs = inputs;
    call.live = numbers.live;
    call.frames = numbers.frames;
    call.updates = numbers.updates;
    call.progress = numbers.progress;
    call.counter = counter;
    call.same_parameters = numbers.same_parameters;
    return call;
}

}  // namespace tenon
