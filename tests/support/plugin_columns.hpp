// SPDX-License-Identifier: Apache-2.0
// Columns [slot][lane][...] for tests of plugins, with a canary of untouched bytes between any two rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "tenon/abi/spec.h"
#include "tenon/abi/tensor.h"

namespace tenon::test {

inline std::size_t size_of(std::int32_t dtype) {
    switch (dtype) {
        case TN_F64:
        case TN_I64:
            return 8;
        case TN_F32:
        case TN_I32:
            return 4;
        default:
            return 1;
    }
}

class PluginColumns {
public:
    // So many elements of canary after each row.
    PluginColumns(std::uint32_t slots, std::uint32_t lanes, std::int64_t gap = 1)
        : slots_(slots), lanes_(lanes), gap_(gap) {
        add("terminated", TN_BOOL, {});
        add("truncated", TN_BOOL, {});
    }
    PluginColumns(const PluginColumns&) = delete;
    PluginColumns& operator=(const PluginColumns&) = delete;

    // What an env of these specs is bound to: a column for each, and "next.<key>" for observations.
    void add(const tn_spec* const* specs, std::uint32_t count) {
        for (const tn_spec* spec : std::span(specs, count)) {
            const std::string key(spec->key.data, spec->key.size);
            const std::vector<std::int64_t> shape(spec->shape, spec->shape + spec->rank);
            add(key, spec->dtype, shape);
            if (spec->role == TN_ROLE_OBSERVATION) {
                add("next." + key, spec->dtype, shape);
            }
        }
    }

    void add(const std::string& key, std::int32_t dtype, const std::vector<std::int64_t>& shape) {
        Memory& memory = memory_.emplace_back();
        memory.key = key;
        memory.shape = {slots_, lanes_};
        memory.shape.insert(memory.shape.end(), shape.begin(), shape.end());
        std::int64_t row = 1;
        memory.strides.assign(memory.shape.size(), 1);
        for (std::size_t i = memory.shape.size(); i-- > 2;) {
            memory.strides[i] = row;
            row *= memory.shape[i];
        }
        memory.strides[1] = row + gap_;
        memory.strides[0] = lanes_ * (row + gap_);
        memory.row_bytes = static_cast<std::size_t>(row) * size_of(dtype);
        memory.bytes.assign(static_cast<std::size_t>(slots_ * memory.strides[0]) * size_of(dtype), kCanary);
        memory.column = {.struct_size = sizeof(tn_column),
                         .flags = 0,
                         .key = {memory.key.data(), memory.key.size()},
                         .tensor = {.struct_size = sizeof(tn_tensor),
                                    .dtype = dtype,
                                    .data = memory.bytes.data(),
                                    .rank = static_cast<std::uint32_t>(memory.shape.size()),
                                    .device_type = TN_DEVICE_CPU,
                                    .device_id = 0,
                                    .reserved = 0,
                                    .shape = memory.shape.data(),
                                    .strides = memory.strides.data()}};
        pointers_.push_back(&memory.column);
    }

    [[nodiscard]] const tn_column* const* data() const { return pointers_.data(); }
    [[nodiscard]] std::uint64_t size() const { return pointers_.size(); }
    [[nodiscard]] std::uint32_t slots() const { return slots_; }
    [[nodiscard]] std::uint32_t lanes() const { return lanes_; }

    template <class E>
    E& at(const std::string& key, std::uint32_t slot, std::uint32_t lane, std::size_t element = 0) {
        Memory& memory = find(key);
        REQUIRE(size_of(memory.column.tensor.dtype) == sizeof(E));
        const auto offset = slot * memory.strides[0] + lane * memory.strides[1];
        return reinterpret_cast<E*>(memory.bytes.data())[static_cast<std::size_t>(offset) + element];
    }

    // The bytes of a row.
    std::span<unsigned char> row(const std::string& key, std::uint32_t slot, std::uint32_t lane) {
        Memory& memory = find(key);
        const auto offset = static_cast<std::size_t>(slot * memory.strides[0] + lane * memory.strides[1]);
        return {memory.bytes.data() + offset * size_of(memory.column.tensor.dtype), memory.row_bytes};
    }

    // All bytes of all columns, canaries included: equal behaviour gives equal bytes.
    [[nodiscard]] std::vector<unsigned char> bytes() const {
        std::vector<unsigned char> all;
        for (const Memory& memory : memory_) {
            all.insert(all.end(), memory.bytes.begin(), memory.bytes.end());
        }
        return all;
    }

    [[nodiscard]] std::vector<unsigned char> bytes(std::uint32_t slot) const {
        std::vector<unsigned char> all;
        for (const Memory& memory : memory_) {
            const std::size_t size = memory.bytes.size() / slots_;
            const auto* const first = memory.bytes.data() + slot * size;
            all.insert(all.end(), first, first + size);
        }
        return all;
    }

    [[nodiscard]] bool canaries_intact() const {
        return std::ranges::all_of(memory_, [](const Memory& memory) {
            const std::size_t stride =
                static_cast<std::size_t>(memory.strides[1]) * size_of(memory.column.tensor.dtype);
            for (std::size_t i = 0; i < memory.bytes.size(); ++i) {
                if (i % stride >= memory.row_bytes && memory.bytes[i] != kCanary) {
                    return false;
                }
            }
            return true;
        });
    }

private:
    static constexpr unsigned char kCanary = 0xA5;

    struct Memory {
        std::string key;
        std::vector<std::int64_t> shape;
        std::vector<std::int64_t> strides;
        std::vector<unsigned char> bytes;
        std::size_t row_bytes = 0;
        tn_column column{};
    };

    Memory& find(const std::string& key) {
        const auto found = std::ranges::find(memory_, key, &Memory::key);
        REQUIRE(found != memory_.end());
        return *found;
    }

    std::uint32_t slots_;
    std::uint32_t lanes_;
    std::int64_t gap_;
    std::deque<Memory> memory_;
    std::vector<const tn_column*> pointers_;
};

}  // namespace tenon::test
