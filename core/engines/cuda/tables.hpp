// SPDX-License-Identifier: Apache-2.0
// Reads the contents of a step of a run on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// A table on the device, and the host's copy of it.
struct TableCopy {
    const std::byte* on_device = nullptr;
    std::vector<std::byte> on_host;
};

inline bool is_in(const TableCopy& table, std::uintptr_t address) {
    const auto first = reinterpret_cast<std::uintptr_t>(table.on_device);
    return address >= first && address < first + table.on_host.size();
}

// Whether one of the step's arguments is an address in the table.
inline bool reads(const RunStep& step, const TableCopy& table) {
    for (std::size_t at = 0; at < sizeof step.work; at += sizeof(std::uintptr_t)) {
        std::uintptr_t word = 0;
        std::memcpy(&word, step.work + at, sizeof word);
        if (is_in(table, word)) {
            return true;
        }
    }
    return false;
}

template <class Work>
Work work_of(const RunStep& step) {
    Work out;
    std::memcpy(&out, step.work, sizeof out);
    return out;
}

// The entries of a table; none if the host has no copy of it.
template <class T>
std::vector<T> entries_of(const T* on_device, std::size_t count, std::span<const TableCopy> tables) {
    const auto* const at = reinterpret_cast<const std::byte*>(on_device);
    std::vector<T> out;
    for (const TableCopy& table : tables) {
        if (at >= table.on_device && at + count * sizeof(T) <= table.on_device + table.on_host.size()) {
            out.resize(count);
            std::memcpy(static_cast<void*>(out.data()), table.on_host.data() + (at - table.on_device),
                        count * sizeof(T));
        }
    }
    return out;
}

}  // namespace tenon::compiled::device
