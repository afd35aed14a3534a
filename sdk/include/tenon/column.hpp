// SPDX-License-Identifier: Apache-2.0
// The adapter's view of the host's columns: checked once when they are bound, then indexed by slot and lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/tensor.h"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The rows of one slot, for loops over many lanes. The caller has checked the type when the column was bound.
struct ColumnRows {
    std::byte* data;
    std::ptrdiff_t lane_stride;

    template <class E>
    [[nodiscard]] E* of(std::uint32_t lane) const {
        return static_cast<E*>(static_cast<void*>(data + lane * lane_stride));
    }
};

// One column [slot][lane][...] whose inner dimensions are dense.
class Column {
public:
    Column() = default;

    // Finds key among the columns. Throws, naming it, if the column is missing or does not match the spec.
    static Column find(std::span<const tn_column* const> columns, std::string_view key, const Spec& spec,
                       std::uint32_t slots, std::uint32_t lanes) {
        for (const tn_column* column : columns) {
            if (to_view(column->key) == key) {
                return Column(column->tensor, std::string(key), spec, slots, lanes);
            }
        }
        throw InvalidArgument("column '" + std::string(key) + "' was not bound");
    }

    template <class E>
    [[nodiscard]] std::span<E> row(std::uint32_t slot, std::uint32_t lane) const {
        if (dtype_of<std::remove_const_t<E>>() != dtype_) [[unlikely]] {
            refuse_type(dtype_of<std::remove_const_t<E>>());
        }
        return {static_cast<E*>(static_cast<void*>(at(slot, lane))), elements_};
    }

    // Elements of any type, as bytes.
    [[nodiscard]] std::span<std::byte> bytes(std::uint32_t slot, std::uint32_t lane) const {
        return {at(slot, lane), row_bytes_};
    }

    template <class E>
    [[nodiscard]] E& scalar(std::uint32_t slot, std::uint32_t lane) const {
        return row<E>(slot, lane)[0];
    }

    [[nodiscard]] std::byte* at(std::uint32_t slot, std::uint32_t lane) const {
        return data_ + slot * slot_stride_ + lane * lane_stride_;
    }
    [[nodiscard]] ColumnRows rows(std::uint32_t slot) const { return {data_ + slot * slot_stride_, lane_stride_}; }
    [[nodiscard]] std::size_t elements() const { return elements_; }  // per row
    [[nodiscard]] std::size_t row_bytes() const { return row_bytes_; }
    [[nodiscard]] std::int32_t dtype() const { return dtype_; }
    [[nodiscard]] const std::string& key() const { return key_; }

    void copy_row_to(const Column& other, std::uint32_t from_slot, std::uint32_t to_slot, std::uint32_t lane) const {
        std::memcpy(other.at(to_slot, lane), at(from_slot, lane), row_bytes_);
    }

private:
    Column(const tn_tensor& tensor, const std::string& key, const Spec& spec, std::uint32_t slots, std::uint32_t lanes)
        : key_(key), data_(static_cast<std::byte*>(tensor.data)), dtype_(tensor.dtype) {
        const auto require = [&](bool holds, const std::string& what) {
            if (!holds) {
                throw InvalidArgument("column '" + key + "' " + what);
            }
        };
        require(tensor.device_type == TN_DEVICE_CPU, "is not in the memory of the CPU");
        require(tensor.dtype == spec.dtype,
                std::string("is ") + dtype_name(tensor.dtype) + ", but was described as " + dtype_name(spec.dtype));
        const std::size_t rank = spec.shape.size() + 2;
        require(tensor.rank == rank, "has a rank other than described");
        require(tensor.shape[0] >= slots && tensor.shape[1] >= lanes, "has too few slots or lanes");
        std::int64_t dense = 1;
        for (std::size_t i = rank; i-- > 2;) {
            require(tensor.shape[i] == spec.shape[i - 2], "has a shape other than described");
            require(tensor.strides[i] == dense || tensor.shape[i] == 1, "is not dense in its rows");
            dense *= tensor.shape[i];
        }
        const std::size_t size = with_dtype(dtype_, [](auto zero) { return sizeof(zero); });
        elements_ = static_cast<std::size_t>(dense);
        row_bytes_ = elements_ * size;
        slot_stride_ = tensor.strides[0] * static_cast<std::ptrdiff_t>(size);
        lane_stride_ = tensor.strides[1] * static_cast<std::ptrdiff_t>(size);
    }

    [[noreturn, gnu::cold, gnu::noinline]] void refuse_type(std::int32_t asked) const {
        throw InvalidArgument("column '" + key_ + "' is " + dtype_name(dtype_) + ", but was requested as " +
                              dtype_name(asked));
    }

    std::string key_;
    std::byte* data_ = nullptr;
    std::ptrdiff_t slot_stride_ = 0;
    std::ptrdiff_t lane_stride_ = 0;
    std::size_t elements_ = 0;
    std::size_t row_bytes_ = 0;
    std::int32_t dtype_ = 0;
};

// Throws, listing the columns.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_number(std::span<const Column> columns, std::size_t number,
                                                                 const std::string& role) {
    std::string listed;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        listed += (i == 0 ? "" : ", ") + std::to_string(i) + " is '" + columns[i].key() + "' (" +
                  dtype_name(columns[i].dtype()) + ")";
    }
    throw InvalidArgument("there is no " + role + " " + std::to_string(number) + ": " +
                          (listed.empty() ? "the env has no " + role + "s" : listed));
}

// The column with the author's number; role ("observation") is for the sentence if there is no such column.
inline const Column& column_at(const std::vector<Column>& columns, std::size_t number, const char* role) {
    if (number >= columns.size()) [[unlikely]] {
        refuse_number(columns, number, role);
    }
    return columns[number];
}

}  // namespace TENON_SDK
}  // namespace tenon
