// SPDX-License-Identifier: Apache-2.0
// The rows of a program's inputs, to be permuted, repeated or compared one by one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "compute/exec/program.hpp"

namespace tenon {

struct PortRows {
    std::vector<std::size_t> bytes;               // of a row, by port
    std::vector<std::vector<std::byte>> columns;  // in the same order; an empty one has its default

    // Has no rows.
    explicit PortRows(std::span<const Port> ports);

    void append(std::size_t port, const void* rows, std::size_t count);
    [[nodiscard]] PortRows chosen(std::span<const std::size_t> numbers) const;
    [[nodiscard]] std::vector<const void*> pointers() const;
};

// The rows of one column, in the order of the given numbers.
std::vector<std::byte> chosen_rows(const std::vector<std::byte>& column, std::size_t bytes,
                                   std::span<const std::size_t> numbers);

}  // namespace tenon
