// SPDX-License-Identifier: Apache-2.0
// A scan over time: an inner tape for the body, which runs once per step with different buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

// Where a buffer of the body is in each step.
struct Passage {
    enum class What : std::uint8_t {
        kRead,     // in an input of the operation
        kMemory,   // the previous step's result; before the first step, an input
        kWritten,  // in the result
        kHeld  // in the result, at the same place in each step; the operation before the scan writes its first value
    };
    What what = What::kRead;
    std::uint32_t buffer = 0;  // in the body
    std::uint8_t bytes = 4;    // per element
    std::size_t input = 0;     // index among the operation's inputs
    std::int64_t place = 0;    // offset in the result, in elements
    std::int64_t stride = 0;   // elements between two times
};

// Elements after the first one of an input of the operation, or of its result.
struct StepPlace {
    bool in_result = false;
    std::size_t input = 0;
    std::int64_t elements = 0;
};

class ScanLoop {
public:
    Listing body;
    std::vector<std::uint32_t> pinned;  // buffers of the body
    std::vector<Passage> passages;
    std::int64_t steps = 0;
    bool backward = false;  // starts at the last step
    // The passage of real flags by row: once all are true after a step, no later step changes a result any more. -1:
    // none.
    std::ptrdiff_t ends = -1;

    std::string name;  // of its dimension; empty: time
    // The passage of the first result, real numbers of each step. -1: it has none that can be told (Watch).
    std::ptrdiff_t first = -1;

    Status make_tape(DType real, Pool* pool, const Tape* like);
    void run(const Op& op, const Memory& memory, const Call& call);

    // Adds the microseconds of each instruction of the body to these, in all steps of later runs; null: no longer.
    void watch(std::vector<double>* spent) { spent_ = spent; }

    // Where the buffer is in the step that runs as number `step`.
    [[nodiscard]] StepPlace place_of(const Passage& passage, std::int64_t step) const;

    [[nodiscard]] const Tape& tape() const { return tape_; }
    [[nodiscard]] Tape& tape() { return tape_; }

private:
    void run_step(std::int64_t step, const Op& op, const Memory& memory, const Call& call);
    [[nodiscard]] bool has_ended(std::int64_t step, const Op& op, const Memory& memory) const;
    void repeat(std::int64_t step, const Op& op, const Memory& memory) const;
    void run_body(const Call& call);
    void tell(std::int64_t step, const Op& op, const Memory& memory, const Watch& watch);

    Tape tape_;
    std::vector<double>* spent_ = nullptr;
    std::vector<double> told_;
    std::uint64_t version_ = 0;  // version of the inputs that are the same in each step
};

}  // namespace tenon::compiled
