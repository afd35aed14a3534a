// SPDX-License-Identifier: Apache-2.0
// A listing in the order in which it runs: elementwise operations of one shape stand together in loops that go over
// their elements once, a block at a time, and memory is shared by what is not alive at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "compiled/arena.hpp"
#include "compiled/ir.hpp"
#include "compiled/kernels/kernels.hpp"
#include "data/slab.hpp"
#include "error/result.hpp"
#include "exec/program.hpp"
#include "thread/pool.hpp"

namespace tenon::compiled {

inline constexpr std::int64_t kBlock = 256;  // elements

// How a loop comes by a value: as it lies, the same element for all, one that lies there as often as a block has
// elements, or brought together first.
enum class Access : std::uint8_t { kDense, kSame, kReady, kScattered };

struct Load {
    View view;  // adjacent dimensions merged
    Access access = Access::kDense;
    std::uint32_t slot = 0;
    std::uint8_t bytes = 4;  // of an element
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
    std::variant<Loop, std::uint32_t> what;  // or an operation of the listing
};

// What a thread needs for itself.
struct Desk {
    std::byte* blocks = nullptr;  // of loops: a block a slot
    std::byte** slots = nullptr;  // where each lies now
    void* scratch = nullptr;      // of products
};

// Where everything of one run lies.
struct Memory {
    std::vector<void*> bases;  // by buffer
    std::vector<Desk> desks;   // one for each thread of the pool
    std::size_t slot_bytes = 0;
    bool same_parameters = false;  // as in the run before
    Pool* pool = nullptr;          // null: the only thread is the caller's
    mutable bool faulty = false;   // an index lay outside of what it chooses from
    mutable Status failed;         // of the first kernel of an author's own that did
};

class Tape {
public:
    // `pinned`: buffers whose memory is not shared, because somebody reads them after the run. `like`: a tape of the
    // same operations for other sizes, whose order it has; the problem is one that cannot have it.
    static Result<Tape> make(Listing listing, DType real, std::span<const std::uint32_t> pinned, Pool* pool = nullptr,
                             const Tape* like = nullptr);

    // Finds the call's memory. Parameters may have moved since. `version`: of their values; the same for two calls in a
    // row, and nobody has changed any.
    void begin(const Call& call, const Learner& learner, std::uint64_t version = 0);
    // Of a tape that lends its memory, a buffer at a time. `version`: of what is the same at each step.
    void begin(std::uint64_t version);
    void lend(std::uint32_t buffer, void* at) { memory_.bases[buffer] = at; }
    // Between two instructions, where there is somebody to ask, it may be given up.
    void run_phase(std::uint32_t phase, const Call& call, GiveUp* give_up = nullptr);
    void run(const Instruction& instruction, const Call& call) const;
    void copy(const View& from, const View& to);

    [[nodiscard]] const Listing& listing() const { return listing_; }
    [[nodiscard]] const std::vector<Instruction>& instructions() const { return instructions_; }
    // For whoever gives it other sizes, none of them larger than those it was made for, and says so by resized().
    [[nodiscard]] Listing& listing() { return listing_; }
    [[nodiscard]] std::vector<Instruction>& instructions() { return instructions_; }
    Status resized();
    [[nodiscard]] DType real() const { return real_; }
    [[nodiscard]] std::size_t scratch_bytes() const { return arena_.size(); }

    // An element, counted in the order of the view's shape.
    [[nodiscard]] double element(const View& view, Kind kind, std::int64_t index) const;
    // Whether an index lay outside of what it chooses from since the run began; the nearest was taken.
    [[nodiscard]] bool faulty() const { return memory_.faulty; }
    [[nodiscard]] const Status& kernels() const { return memory_.failed; }
    [[nodiscard]] const std::vector<void*>& bases() const { return memory_.bases; }

private:
    Status place(std::span<const std::uint32_t> pinned);
    Status place_desks();
    void fill(std::size_t buffer);
    std::vector<std::uint32_t> shared_places(std::vector<Lifetime>& alive) const;

    Listing listing_;
    DType real_ = DType::kF32;
    std::uint64_t version_ = 0;  // of the run before; 0: none, or not known
    std::vector<Instruction> instructions_;
    std::vector<bool> is_ready_;         // by buffer: there are as many of it as a block has elements
    std::vector<std::size_t> offsets_;   // of buffers in the arena
    std::vector<std::uint32_t> moving_;  // buffers that a call has elsewhere than the one before
    Slab arena_;
    Slab kept_;                // what is not shared: constants, copies, sides, gradients, numbers of the call
    Slab work_;                // the desks: blocks of loops and what products lay out
    std::size_t scratch_ = 0;  // bytes of a desk for the latter
    Memory memory_;
};

// Merged as far as it goes, sizes of 1 left out.
View flattened(const View& view);
std::size_t bytes_of(Kind kind, DType real);

}  // namespace tenon::compiled
