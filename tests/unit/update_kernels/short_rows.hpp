// SPDX-License-Identifier: Apache-2.0
// Sums, extremes and operations over rows of a few elements, as they are and written out for loops over rows.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "unit/update_kernels/on_device.hpp"

namespace on_device {

// What is no number, and zeros of both signs, are among them.
inline std::vector<float> odd_numbers(std::mt19937_64& generator, std::int64_t count) {
    const float some[] = {
        0.0F, -0.0F,  std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -3.0e38F,
        1.5F, -1e-40F};
    std::vector<float> out = normal(generator, count);
    for (std::size_t i = 0; i < out.size(); i += 1 + generator() % 3) {
        out[i] = some[generator() % std::size(some)];
    }
    return out;
}

// Their bits, but not those of what is no number.
inline bool same_numbers(const std::vector<std::byte>& some, const std::vector<std::byte>& others) {
    bool same = some.size() == others.size();
    for (std::size_t i = 0; i + sizeof(float) <= some.size() && same; i += sizeof(float)) {
        float a = 0;
        float b = 0;
        std::memcpy(&a, &some[i], sizeof a);
        std::memcpy(&b, &others[i], sizeof b);
        same = std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
    }
    return same;
}

// Runs what `make` makes as it is and written out. `launched`: the instructions with launches of both.
inline void try_written_out(const std::shared_ptr<Device>& device, const std::function<Case()>& make,
                            std::size_t launched, std::size_t launched_written_out) {
    Case plain = make();
    plain.counts = true;
    plain.run(device);
    CHECK(plain.launched == launched);
    Case written_out = make();
    written_out.counts = true;
    written_out.written_out = true;
    written_out.run(device);
    CHECK(written_out.launched == launched_written_out);
    REQUIRE(plain.found.size() == written_out.found.size());
    for (std::size_t i = 0; i < plain.found.size(); ++i) {
        CHECK(same_numbers(plain.found[i], written_out.found[i]));
    }
}

// Along the last size or the first, and negated.
inline Case short_sum(Code code, std::int64_t few, bool along_first) {
    constexpr std::int64_t kRows = 100;
    std::mt19937_64 generator(7);
    Case at;
    const View x = at.column<float>(along_first ? std::vector{few, kRows} : std::vector{kRows, few},
                                    odd_numbers(generator, kRows * few));
    const View sum =
        at.result(Kind::kReal, along_first ? std::vector{std::int64_t{1}, kRows} : std::vector{kRows, std::int64_t{1}});
    const View negated = at.result(Kind::kReal, {kRows});
    at.add({.code = code, .kind = Kind::kReal, .in = {x}, .out = sum});
    at.add({.code = Code::kNeg, .kind = Kind::kReal, .in = {dense_view(sum.buffer, {kRows})}, .out = negated});
    at.see(negated, Kind::kReal);
    return at;
}

// A softmax of each row, its element that an index selects, the element's negation, and all of the softmax, which the
// host reads.
inline Case softmax(std::int64_t columns, const std::vector<std::int64_t>& indices) {
    const auto rows = static_cast<std::int64_t>(indices.size());
    const std::vector<std::int64_t> all{rows, columns};
    std::mt19937_64 generator(8);
    Case at;
    const View x = at.column<float>(all, normal(generator, rows * columns));
    const View index = at.column<std::int64_t>({rows}, indices);
    const auto along = [&](View view) {  // the number of each row, for all its columns
        view.shape = all;
        view.strides[1] = 0;
        return view;
    };
    const View most = at.result(Kind::kReal, {rows, 1});
    const View less = at.result(Kind::kReal, all);
    const View powers = at.result(Kind::kReal, all);
    const View total = at.result(Kind::kReal, {rows, 1});
    const View shares = at.result(Kind::kReal, all);
    const View chosen = at.result(Kind::kReal, {rows});
    const View negated = at.result(Kind::kReal, {rows});
    at.add({.code = Code::kMax, .kind = Kind::kReal, .in = {x}, .out = most});
    at.add({.code = Code::kSub, .kind = Kind::kReal, .in = {x, along(most)}, .out = less});
    at.add({.code = Code::kExp, .kind = Kind::kReal, .in = {less}, .out = powers});
    at.add({.code = Code::kSum, .kind = Kind::kReal, .in = {powers}, .out = total});
    at.add({.code = Code::kDiv, .kind = Kind::kReal, .in = {powers, along(total)}, .out = shares});
    at.add({.code = Code::kGather, .kind = Kind::kReal, .in = {shares, index}, .out = chosen});
    at.add({.code = Code::kNeg, .kind = Kind::kReal, .in = {chosen}, .out = negated});
    at.see(negated, Kind::kReal);
    at.see(shares, Kind::kReal);
    return at;
}

// Rows of rows, of which an operation on short rows of its own reads every other element, and a number for each row.
inline Case interleaved() {
    constexpr std::int64_t kRows = 50;
    const std::vector<std::int64_t> pair{kRows, 2};
    std::mt19937_64 generator(10);
    Case at;
    const View x = at.column<float>({kRows, 2, 2}, normal(generator, kRows * 4));
    const View number = at.column<float>({kRows, 1}, normal(generator, kRows));
    const View negated = at.result(Kind::kReal, {kRows, 2, 2});
    const View moved = at.result(Kind::kReal, pair);
    const View doubled = at.result(Kind::kReal, pair);
    const View second{.buffer = negated.buffer, .offset = 1, .shape = pair, .strides = {4, 2}};
    const View along{.buffer = number.buffer, .offset = 0, .shape = pair, .strides = {1, 0}};
    at.add({.code = Code::kNeg, .kind = Kind::kReal, .in = {x}, .out = negated});
    at.add({.code = Code::kSub, .kind = Kind::kReal, .in = {second, along}, .out = moved});
    at.add({.code = Code::kAdd, .kind = Kind::kReal, .in = {moved, second}, .out = doubled});
    at.see(doubled, Kind::kReal);
    return at;
}

// Rows of truth values, and integers that an index selects.
inline Case other_kinds() {
    constexpr std::int64_t kRows = 50;
    const std::vector<std::int64_t> all{kRows, 3};
    std::mt19937_64 generator(11);
    Case at;
    const View x = at.column<float>(all, normal(generator, kRows * 3));
    const View number = at.column<float>({kRows, 1}, normal(generator, kRows));
    std::vector<std::int64_t> integers(kRows * 3);
    std::vector<std::int64_t> indices(kRows);
    for (std::size_t i = 0; i < integers.size(); ++i) {
        integers[i] = static_cast<std::int64_t>(generator());
        indices[i / 3] = static_cast<std::int64_t>(generator() % 3);
    }
    const View ints = at.column<std::int64_t>(all, integers);
    const View index = at.column<std::int64_t>({kRows}, indices);
    const View along{.buffer = number.buffer, .offset = 0, .shape = all, .strides = {1, 0}};
    const View is_more = at.result(Kind::kBool, all);
    const View larger = at.result(Kind::kReal, all);
    const View chosen = at.result(Kind::kInt, {kRows});
    at.add({.code = Code::kGt, .kind = Kind::kReal, .in = {x, along}, .out = is_more});
    at.add({.code = Code::kWhere, .kind = Kind::kReal, .in = {is_more, x, along}, .out = larger});
    at.add({.code = Code::kGather, .kind = Kind::kInt, .in = {ints, index}, .out = chosen});
    at.see(larger, Kind::kReal);
    at.see(is_more, Kind::kBool);
    at.see(chosen, Kind::kInt);
    return at;
}

inline void try_short_rows(const std::shared_ptr<Device>& device) {
    for (const Code code : {Code::kSum, Code::kMax, Code::kMin}) {
        for (const std::int64_t few : {2, 3, 8}) {
            for (const bool along_first : {false, true}) {
                CAPTURE(static_cast<int>(code), few, along_first);
                try_written_out(device, [&] { return short_sum(code, few, along_first); }, 2, 1);
            }
        }
    }
    try_written_out(device, interleaved, 2, 2);
    try_written_out(device, other_kinds, 2, 2);
    std::vector<std::int64_t> indices(77);
    for (const std::int64_t columns : {2, 3, 4}) {
        CAPTURE(columns);
        std::mt19937_64 generator(9);
        for (std::int64_t& index : indices) {
            index = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(columns));
        }
        // two loops of rows, two of elements, a maximum, a sum and a gather; and a loop beside a gather that only looks
        try_written_out(device, [&] { return softmax(columns, indices); }, 6, 2);
        for (const std::int64_t wrong : {std::int64_t{-3}, columns}) {
            CAPTURE(wrong);
            std::vector<std::int64_t> some = indices;
            some[5] = wrong;
            Case at = softmax(columns, some);
            at.written_out = true;
            CHECK(at.run(device, true));
        }
    }
}

}  // namespace on_device
