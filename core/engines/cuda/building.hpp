// SPDX-License-Identifier: Apache-2.0
// Makes the launches of a tape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/cuda/launches.hpp"

namespace tenon::compiled::device {

// The problem: an operation that has no kernel, or that is too large for one. Nothing is allocated.
Status check_kernels(const Tape& tape);

// Values begin at multiples of a line of the device's memory.
constexpr std::size_t in_lines(std::size_t bytes) {
    constexpr std::size_t kLine = 256;
    return (bytes + kLine - 1) / kLine * kLine;
}

// A program whose scratch memory is at most this large uses no memory twice, so that independent works can run at the
// same time.
inline constexpr std::size_t kSmallScratch = 64U << 20U;

// Reserves bytes at `end` and returns the offset at which they begin.
inline std::size_t take_lines(std::size_t& end, std::size_t bytes) {
    return std::exchange(end, in_lines(end + bytes));
}

// A tape, and the address of each of its buffers: those of the program, or of the body of a scan in one of its steps.
struct Frame {
    const Tape* tape = nullptr;
    std::vector<std::byte*> bases;
};

class Building {
public:
    Building(Launches& out, const ProgramSpec& spec) : out_(out), spec_(spec), tape_(out.program_.tape) {
        whole_.tape = &tape_;
    }
    Status build();

    // The address of a buffer of the tape whose instructions are being built.
    [[nodiscard]] std::byte* base(std::uint32_t buffer) const { return at_->bases[buffer]; }
    [[nodiscard]] std::byte* start(const View& view) const;
    [[nodiscard]] std::int32_t bytes_of_one(Kind kind) const {
        return static_cast<std::int32_t>(bytes_of(kind, tape_.real()));
    }
    // Where kernels report an index that does not exist.
    [[nodiscard]] std::uint32_t* fault() const {
        return out_.fault_ != nullptr ? out_.fault_ : reinterpret_cast<std::uint32_t*>(out_.given_.memory());
    }
    // The data of a call, which begin with the fault.
    [[nodiscard]] const std::byte* given() const { return out_.given_.memory(); }

private:
    Status allocate();
    void place_outputs();
    [[nodiscard]] void* output_of(const Effect& effect) const;
    [[nodiscard]] bool is_wider(const Effect& effect) const;
    std::size_t lay_out_scratch();
    std::size_t lay_out_bodies(std::size_t end);
    void lay_out_given();
    void find_bases();
    Status write_kept();
    Given give(std::uint32_t buffer, std::size_t bytes, std::size_t index);
    void add(const Instruction& instruction, std::uint32_t number, std::uint32_t phase);
    bool joins_scan(const Loop& loop, const Launch& launch);
    void add_operation(const Op& op, Launch launch);
    void add_scan(const Op& op, const Launch& launch);
    void add_product(const Op& op, Launch launch);
    void add_long_product(ProductWork work, Launch launch);
    void add_parts(const ProductWork& work, Launch launch);
    bool joins_product(const ReduceWork& work, const Launch& launch);
    void add_reduction(const Op& op, Launch launch);
    void add_long_reduction(ReduceWork work, Launch launch);
    static void take_parts(ReduceWork& work, std::int64_t parts);
    float* partial_of(std::int64_t count);
    Status place_partial();
    Status see_results();
    void see_states();
    void see_outputs();
    Status see_kept();
    CopyWork kept_copy(std::span<const CopyItem> items);
    static CopyItem single(const void* from, void* to, std::int32_t bytes);
    [[nodiscard]] CopyItem whole(const Shown::Part& part, void* to) const;
    [[nodiscard]] bool leaves_outputs() const;
    Status show_in(std::size_t bytes);
    Shown show(std::span<const Seen> values);
    CopyWork copying_of(std::span<const CopyItem> items);
    // The address is an offset until the tables are on the device.
    template <class T>
    const T* table(std::span<const T> entries) {
        constexpr std::size_t kAligned = 16;
        const std::size_t at = (tables_.size() + kAligned - 1) / kAligned * kAligned;
        tables_.resize(at + entries.size_bytes());
        std::memcpy(tables_.data() + at, entries.data(), entries.size_bytes());
        // NOLINTNEXTLINE(performance-no-int-to-ptr): it becomes an address in send_tables
        return reinterpret_cast<const T*>(at);
    }
    Status send_tables();
    void group_launches();

    [[nodiscard]] std::byte* base_of(std::uint32_t buffer) const;
    [[nodiscard]] std::size_t bytes_of_one(std::uint32_t buffer) const;
    [[nodiscard]] Place place_of(const View& view) const;
    [[nodiscard]] LoopWork loop_of(const Loop& loop);
    [[nodiscard]] ProductWork product_of(const Op& op) const;
    [[nodiscard]] ReduceWork reduce_of(const Op& op) const;

    Launches& out_;
    const ProgramSpec& spec_;
    const Tape& tape_;
    Frame whole_;
    const Frame* at_ = &whole_;  // whose instructions are being built
    // The body of a scan, by its operation: where its memory begins, in the arena and in the kept memory.
    struct Body {
        std::vector<std::size_t> scratch_at;  // by buffer
        std::size_t kept_at = 0;
    };
    std::map<const Op*, Body> bodies_;
    std::size_t kept_end_ = 0;
    std::vector<std::size_t> given_at_;  // by buffer: its place among the data of a call; 0: it has none
    std::size_t given_end_ = 0;
    std::vector<std::byte> tables_;
    std::vector<std::size_t> scratch_at_;  // by buffer: its place in the arena
    std::vector<std::byte*> output_at_;    // by buffer: an output of the call that is computed in place, or null
    std::size_t partial_end_ = 0;
    std::size_t most_partial_ = 0;  // of one sum
};

}  // namespace tenon::compiled::device
