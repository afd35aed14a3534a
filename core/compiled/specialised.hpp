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

// A number of a program that is linear in the size of its batch.
struct Following {
    std::int64_t* number = nullptr;
    std::int64_t at_none = 0;  // where there are no rows
    std::int64_t by_each = 0;  // more for each of them
};

// The sizes that one program serves: from the smallest to those that it was made for.
struct Span {
    std::int64_t Sizes::* along = nullptr;  // the one size that differs; null: none
    std::int64_t smallest = 0;
    std::int64_t largest = 0;
    bool operator==(const Span&) const = default;
};

struct Specialised {
    Variant variant;
    Sizes sizes;  // now
    Span span;
    std::vector<Following> following;
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
    bool varies = false;                // it is to serve other sizes, too (varying_sizes.hpp)
    const Specialised* like = nullptr;  // one for other sizes, whose order of operations it is to have
};

// The problem is what cannot be compiled.
Result<std::unique_ptr<Specialised>> specialise(const Request& request);

}  // namespace tenon::compiled
