// SPDX-License-Identifier: Apache-2.0
// What chooses, puts, orders and compares elements of rows.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "unit/update_kernels/on_device.hpp"

namespace on_device {

inline void try_rows(const std::shared_ptr<Device>& device) {
    std::mt19937_64 generator(9);
    std::vector<float> values = normal(generator, 60);
    values[7] = values[8];
    values[20] = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::int64_t> places(12);
    for (std::int64_t& place : places) {
        place = static_cast<std::int64_t>(generator() % 5);
    }
    Case at;
    const View x = at.column<float>({12, 5}, values);
    const View index = at.column<std::int64_t>({12, 1}, places);
    const auto see = [&](Op op, Kind kind) {
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, kind);
    };
    View with_index = x;  // as take_along has it: the elements of a row for each index
    with_index.shape = {12, 1, 5};
    with_index.strides = {5, 0, 1};
    see({.code = Code::kArgmax, .kind = Kind::kReal, .in = {x}, .out = at.result(Kind::kInt, {12, 1})}, Kind::kInt);
    see({.code = Code::kGather, .kind = Kind::kReal, .in = {with_index, index}, .out = at.result(Kind::kReal, {12, 1})},
        Kind::kReal);
    see({.code = Code::kArgsort, .kind = Kind::kReal, .in = {x}, .out = at.result(Kind::kInt, {12, 5})}, Kind::kInt);
    see({.code = Code::kArgsort, .kind = Kind::kReal, .in = {x}, .out = at.result(Kind::kInt, {12, 5}), .number = 1},
        Kind::kInt);
    see({.code = Code::kLeastMembers,
         .kind = Kind::kReal,
         .in = {x},
         .out = at.result(Kind::kBool, {12, 5}),
         .number = 4},
        Kind::kBool);
    View first = x;
    first.shape = {12, 1};
    see({.code = Code::kPutAlong, .kind = Kind::kReal, .in = {first, index}, .out = at.result(Kind::kReal, {12, 5})},
        Kind::kReal);
    View row = x;  // put into the places that a copy of x has
    row.shape = {12};
    row.strides = {5};
    View chosen = index;
    chosen.shape = {12};
    chosen.strides = {1};
    const View all = at.result(Kind::kReal, {12, 5});
    at.add({.code = Code::kCopy, .kind = Kind::kReal, .in = {x}, .out = all});
    at.add({.code = Code::kPut, .kind = Kind::kReal, .in = {chosen, row}, .out = all});
    at.see(all, Kind::kReal);
    CHECK_FALSE(at.run(device));
}

inline void try_out_of_range(const std::shared_ptr<Device>& device) {
    Case at;
    const View x = at.column<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6});
    const View index = at.column<std::int64_t>({2, 1}, std::vector<std::int64_t>{7, 1});
    Op op{.code = Code::kGather, .kind = Kind::kReal, .in = {x, index}, .out = at.result(Kind::kReal, {2, 1})};
    const View out = op.out;
    at.add(std::move(op));
    at.see(out, Kind::kReal);
    CHECK(at.run(device));
}

}  // namespace on_device
