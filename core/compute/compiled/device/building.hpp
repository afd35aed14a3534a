// SPDX-License-Identifier: Apache-2.0
// Makes the launches of a tape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "compute/compiled/device/launches.hpp"

namespace tenon::compiled::device {

// The problem: an operation that has no kernel, or that is too large for one. Nothing is allocated.
Status check_kernels(const Tape& tape);

class Building {
public:
    Building(Launches& out, const ProgramSpec& spec) : out_(out), spec_(spec), tape_(out.program_.tape) {}
    Status build();

private:
    Status allocate();
    std::size_t lay_out_scratch();
    void lay_out_given();
    Given give(std::uint32_t buffer, std::size_t bytes, std::size_t index);
    void add(const Instruction& instruction, std::uint32_t number);
    void add_operation(const Op& op, Launch launch);
    void add_product(const Op& op, Launch launch);
    void add_reduction(const Op& op, Launch launch);
    static void take_parts(ReduceWork& work, std::int64_t parts);
    float* partial_of(std::size_t& used, std::int64_t count);
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
    // Its address is an offset until the tables are on the device.
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

    [[nodiscard]] std::byte* base(std::uint32_t buffer) const;
    [[nodiscard]] std::size_t bytes_of_one(std::uint32_t buffer) const;
    [[nodiscard]] std::byte* start(const View& view) const;
    [[nodiscard]] Place place_of(const View& view) const;
    [[nodiscard]] LoopWork loop_of(const Loop& loop);
    [[nodiscard]] ProductWork product_of(const Op& op) const;
    [[nodiscard]] ReduceWork reduce_of(const Op& op) const;
    [[nodiscard]] RowsWork rows_of(const Op& op) const;
    [[nodiscard]] PatchWork patches_of(const Op& op) const;
    [[nodiscard]] ScanWork scan_of(const Op& op) const;
    [[nodiscard]] DrawWork draw_of(const Op& op) const;
    [[nodiscard]] ImportWork import_of(const Op& op) const;

    Launches& out_;
    const ProgramSpec& spec_;
    const Tape& tape_;
    std::vector<std::size_t> given_at_;  // by buffer: where it is among what a call gives; 0: it is not
    std::size_t given_end_ = 0;
    std::vector<std::byte> tables_;
    std::vector<std::size_t> scratch_at_;  // by buffer: where it is in the arena
    std::size_t partial_bytes_ = 0;
};

}  // namespace tenon::compiled::device
