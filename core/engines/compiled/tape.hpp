// SPDX-License-Identifier: Apache-2.0
// A listing in execution order. Elementwise operations of one shape are fused into loops, which process their elements
// once, one block at a time. Values that are not alive at the same time share memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/data/slab.hpp"
#include "base/error/result.hpp"
#include "base/thread/pool.hpp"
#include "compute/exec/program.hpp"
#include "engines/compiled/arena.hpp"
#include "engines/compiled/branches.hpp"
#include "engines/compiled/ir.hpp"
#include "engines/compiled/kernels/kernels.hpp"

namespace tenon::compiled {

inline constexpr std::int64_t kBlock = 256;  // elements

// How a loop reads a value: in place; as one element broadcast to all; from memory that is already broadcast to a
// block; or gathered into a block first.
enum class Access : std::uint8_t { kDense, kSame, kReady, kScattered };

struct Load {
    View view;  // adjacent dimensions merged
    Access access = Access::kDense;
    std::uint32_t slot = 0;
    std::uint8_t bytes = 4;  // per element
};

struct Step {
    Kernels::Map map = nullptr;
    std::array<std::uint32_t, 3> in{};
    std::uint32_t out = 0;
};

struct Store {
    View view;
    Access access = Access::kDense;
    std::uint32_t slot = 0;
    std::uint8_t bytes = 4;
};

struct Loop {
    std::int64_t count = 0;
    std::uint32_t slots = 0;
    std::vector<Load> loads;
    std::vector<Step> steps;
    std::vector<Store> stores;
    std::vector<std::uint32_t> ops;  // of the listing, for dumps
};

struct Instruction {
    std::uint32_t phase = 0;
    std::variant<Loop, std::uint32_t> what;  // a loop, or an operation of the listing
};

// The memory that a thread needs for itself.
struct Desk {
    std::byte* blocks = nullptr;  // for loops: one block per slot
    std::byte** slots = nullptr;  // the present address of each slot
    void* scratch = nullptr;      // for products
};

// The addresses of all memory during a run.
struct Memory {
    std::vector<void*> bases;  // by buffer
    std::vector<Desk> desks;   // one for each thread of the pool
    std::size_t slot_bytes = 0;
    bool same_parameters = false;  // as in the previous run
    Pool* pool = nullptr;          // null: only the calling thread
    mutable bool faulty = false;   // an index was out of range
    mutable Status failed;         // the status of the first author's kernel that failed
};

class Tape {
public:
    // `pinned`: buffers that are read after the run and therefore do not share memory. `like`: a tape of the same
    // operations for other sizes, whose order to use; the problem is a tape that cannot use it.
    static Result<Tape> make(Listing listing, DType real, std::span<const std::uint32_t> pinned, Pool* pool = nullptr,
                             const Tape* like = nullptr);

    // Resolves the call's memory. Parameters may have moved since the last call. `version` of their values: if it is
    // the same for two calls in a row, no parameter has changed between them.
    void begin(const Call& call, const Learner& learner, std::uint64_t version = 0);
    // For a tape that borrows each buffer. `version`: of the inputs that are the same in each step.
    void begin(std::uint64_t version);
    void lend(std::uint32_t buffer, void* at) { memory_.bases[buffer] = at; }
    // `give_up` may end it between two instructions.
    void run_phase(std::uint32_t phase, const Call& call, GiveUp* give_up = nullptr);
    void run(const Instruction& instruction, const Call& call) const;
    void copy(const View& from, const View& to);

    [[nodiscard]] const Listing& listing() const { return listing_; }
    [[nodiscard]] const std::vector<Instruction>& instructions() const { return instructions_; }
    // For changing the sizes, to at most those that the tape was made for. Call resized() afterwards.
    [[nodiscard]] Listing& listing() { return listing_; }
    [[nodiscard]] std::vector<Instruction>& instructions() { return instructions_; }
    Status resized();
    [[nodiscard]] DType real() const { return real_; }
    [[nodiscard]] std::size_t scratch_bytes() const { return arena_.size(); }
    // offset_of: where a buffer of the program's own begins, in the memory that values share or in kept(), which they
    // do not share.
    [[nodiscard]] std::size_t offset_of(std::size_t buffer) const { return offsets_[buffer]; }
    [[nodiscard]] const Slab& kept() const { return kept_; }

    // An element by its index in the order of the view's shape.
    [[nodiscard]] double element(const View& view, Kind kind, std::int64_t index) const;
    // Whether an index has been out of range since the run began; the nearest valid one was used.
    [[nodiscard]] bool faulty() const { return memory_.faulty; }
    [[nodiscard]] const Status& kernels() const { return memory_.failed; }
    [[nodiscard]] const std::vector<void*>& bases() const { return memory_.bases; }

private:
    Status place(std::span<const std::uint32_t> pinned);
    Status place_desks();
    void fill(std::size_t buffer);
    void plan_branches();
    void run_branches(std::uint32_t phase, const Call& call);
    void run_with(const Instruction& instruction, const Call& call, const Memory& memory) const;
    [[nodiscard]] Task task_of(const Instruction& instruction) const;
    std::vector<std::uint32_t> shared_places(std::vector<Lifetime>& alive) const;

    Listing listing_;
    DType real_ = DType::kF32;
    std::uint64_t version_ = 0;  // of the previous run; 0: none or unknown
    std::vector<Instruction> instructions_;
    std::vector<bool> is_ready_;         // by buffer: whether it is already broadcast to a block
    std::vector<std::size_t> offsets_;   // of buffers, in the arena
    std::vector<std::uint32_t> moving_;  // buffers whose address changes between calls
    Slab arena_;
    Slab kept_;                // not shared: constants, copies, packed weights, gradients, numbers of the call
    Slab work_;                // the desks: blocks of loops and scratch memory of products
    std::size_t scratch_ = 0;  // scratch bytes per desk
    Memory memory_;
    bool spreads_ = false;  // no values share memory, so that threads can run independent instructions at the same time
    std::vector<Branches> branches_;    // by phase; empty: instructions run one after the other
    std::vector<Memory> own_memories_;  // by thread: with a desk of its own
    std::vector<std::vector<std::uint32_t>> phase_instructions_;  // by phase: the tasks of its branches
};

// Merges dimensions as far as possible and drops those of size 1.
View flattened(const View& view);
std::size_t bytes_of(Kind kind, DType real);

}  // namespace tenon::compiled
