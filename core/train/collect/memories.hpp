// SPDX-License-Identifier: Apache-2.0
// Memories of acting that no update reads: one row per lane, outside of the storage, so that a buffer of a million
// frames does not hold a million noise matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/slab.hpp"
#include "base/error/result.hpp"
#include "tenon/abi/state.h"

namespace tenon {

class Memories {
public:
    explicit Memories(std::uint32_t lanes) : lanes_(lanes) {}

    Status add(const Port& port);
    [[nodiscard]] bool empty() const { return all_.empty(); }

    // The address of the lanes' rows, and where a step writes the rows of the next step; null if there is no such
    // memory.
    [[nodiscard]] const void* now(std::string_view key) const;
    [[nodiscard]] void* later(std::string_view key) const;

    // The rows of one lane, one memory after the other, for a caller that stores them itself.
    [[nodiscard]] std::size_t lane_bytes() const;
    void read_lane(std::uint32_t lane, std::byte* to) const;
    void write_lane(std::uint32_t lane, const std::byte* from);
    // Whether the lanes of another have the same memories in the same order.
    [[nodiscard]] bool is_like(const Memories& other) const;

    // Ends the step: its output becomes the input of the next step. The two change their addresses.
    void advance();
    // The same for these lanes; those of others stay as they are.
    void advance(std::span<const std::uint32_t> lanes);

    [[nodiscard]] Status save(const tn_writer& writer) const;
    // Requires the same memories and lanes as when they were saved.
    Status load(const tn_reader& reader);

private:
    struct Memory {
        std::string key;
        Slab now;
        Slab later;
    };
    [[nodiscard]] const Memory* find(std::string_view key) const;

    std::uint32_t lanes_;
    std::vector<Memory> all_;
};

}  // namespace tenon
