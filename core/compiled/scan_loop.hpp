// SPDX-License-Identifier: Apache-2.0
// A scan over time: its body as a tape of its own, which runs once a step on what lies elsewhere at each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiled/tape.hpp"

namespace tenon::compiled {

// How the body comes by a buffer, from step to step.
struct Passage {
    enum class What : std::uint8_t {
        kRead,    // lies in an input of the operation
        kMemory,  // what the step before has left in the result; before the first step an input
        kWritten  // lies in the result
    };
    What what = What::kRead;
    std::uint32_t buffer = 0;  // of the body
    std::uint8_t bytes = 4;    // of an element
    std::size_t input = 0;     // of the operation
    std::int64_t place = 0;    // elements, in the result
    std::int64_t stride = 0;   // elements from one time to the next
};

class ScanLoop {
public:
    Listing body;
    std::vector<std::uint32_t> pinned;  // buffers of the body
    std::vector<Passage> passages;
    std::int64_t steps = 0;
    bool backward = false;  // begins at the last

    Status make_tape(DType real, Pool* pool, const Tape* like);
    void run(const Op& op, const Memory& memory, const Call& call);

    [[nodiscard]] const Tape& tape() const { return tape_; }
    [[nodiscard]] Tape& tape() { return tape_; }

private:
    [[nodiscard]] void* where(const Passage& passage, const Op& op, const Memory& memory, std::int64_t time,
                              bool first) const;

    Tape tape_;
    std::uint64_t version_ = 0;  // of what is the same at each step
};

}  // namespace tenon::compiled
