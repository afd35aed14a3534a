// SPDX-License-Identifier: Apache-2.0
#include "commands/check/port_rows.hpp"

#include <algorithm>
#include <iterator>

namespace tenon {

PortRows::PortRows(std::span<const Port> ports) : columns(ports.size()) {
    std::ranges::transform(ports, std::back_inserter(bytes), [](const Port& port) { return row_bytes(port); });
}

void PortRows::append(std::size_t port, const void* rows, std::size_t count) {
    const auto* const first = static_cast<const std::byte*>(rows);
    columns[port].insert(columns[port].end(), first, first + count * bytes[port]);
}

PortRows PortRows::chosen(std::span<const std::size_t> numbers) const {
    PortRows out = *this;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        out.columns[i] = chosen_rows(columns[i], bytes[i], numbers);
    }
    return out;
}

std::vector<const void*> PortRows::pointers() const {
    std::vector<const void*> out;
    std::ranges::transform(columns, std::back_inserter(out),
                           [](const auto& column) { return column.empty() ? nullptr : column.data(); });
    return out;
}

std::vector<std::byte> chosen_rows(const std::vector<std::byte>& column, std::size_t bytes,
                                   std::span<const std::size_t> numbers) {
    std::vector<std::byte> out;
    if (column.empty()) {
        return out;
    }
    out.reserve(numbers.size() * bytes);
    for (const std::size_t number : numbers) {
        const auto first = column.begin() + static_cast<std::ptrdiff_t>(number * bytes);
        out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(bytes));
    }
    return out;
}

}  // namespace tenon
