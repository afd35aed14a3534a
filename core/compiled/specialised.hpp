// SPDX-License-Identifier: Apache-2.0
// A tape for one variant of a program and one set of sizes, with what is read of it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compiled/lowering.hpp"
#include "compiled/tape.hpp"
#include "compiled/update_graph.hpp"

namespace tenon::compiled {

struct Seen {
    View view;
    Kind kind = Kind::kReal;
    std::uint32_t phase = 0;
};

struct SeenState {
    std::size_t network = 0;
    std::size_t parameter = 0;
    Seen value;
};

// A parameter's copy and where it is taken from.
struct Snapshot {
    View from;
    View to;
    std::ptrdiff_t after = -1;
};

struct Specialised {
    Variant variant;
    Sizes sizes;
    UpdateGraph update;
    Tape tape;
    std::vector<Seen> totals;                  // by loss; without a buffer where it is not due
    std::vector<std::vector<Seen>> gradients;  // by place in the sequence; without a buffer: none
    std::vector<Seen> metrics;
    std::vector<Seen> controls;
    std::vector<Seen> checks;
    std::vector<Seen> prints;
    std::vector<Seen> writes;  // as rows of their columns
    std::vector<SeenState> states;
    std::vector<Snapshot> snapshots;
};

struct Request {
    const ProgramSpec& spec;
    std::span<const StagePlan> stages;
    const Learner& learner;
    Variant variant;
    Sizes sizes;
    bool writes_state = false;
    Pool* pool = nullptr;
};

// The problem is what cannot be compiled.
Result<std::unique_ptr<Specialised>> specialise(const Request& request);

}  // namespace tenon::compiled
