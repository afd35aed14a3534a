// SPDX-License-Identifier: Apache-2.0
// Products, small ones and those with a long k.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include "unit/update_kernels/on_device.hpp"

namespace on_device {

// Sides as they are, or transposed.
inline View side(Case& at, std::mt19937_64& generator, std::int64_t batch, std::int64_t rows, std::int64_t columns,
                 bool turned) {
    if (!turned) {
        return at.column<float>({batch, rows, columns}, normal(generator, batch * rows * columns));
    }
    View out = at.column<float>({batch, columns, rows}, normal(generator, batch * rows * columns));
    std::swap(out.shape[1], out.shape[2]);
    std::swap(out.strides[1], out.strides[2]);
    return out;
}

inline void try_products(const std::shared_ptr<Device>& device, int count = 120) {
    std::mt19937_64 generator(1);
    const std::int64_t sizes[] = {1, 2, 3, 4, 5, 16, 33, 40};
    const auto one = [&] { return sizes[generator() % std::size(sizes)]; };
    for (int number = 0; number < count; ++number) {
        const std::int64_t batch = 1 + static_cast<std::int64_t>(generator() % 2);
        const std::int64_t m = one();
        const std::int64_t n = one();
        const std::int64_t k = one() + (number % 3 == 0 ? 16 : 0);
        const auto tail = static_cast<Tail>(generator() % 5);
        const bool a_turned = generator() % 2 == 0;
        const bool b_turned = generator() % 2 == 0;
        const bool has_bias = generator() % 2 == 0 || tail == Tail::kRelu || tail == Tail::kTanh;
        CAPTURE(batch, m, n, k, static_cast<int>(tail), a_turned, b_turned, has_bias);
        Case at;
        Op op{.code = Code::kProduct, .kind = Kind::kReal, .in = {}, .out = {}};
        op.in = {side(at, generator, batch, m, k, a_turned), side(at, generator, batch, k, n, b_turned)};
        if (has_bias) {
            op.in.push_back(at.column<float>({batch, n}, normal(generator, batch * n)));
        }
        op.tail = tail;
        if (reads_operand(tail)) {
            op.in.push_back(at.column<float>({batch, m, n}, normal(generator, batch * m * n)));
        }
        op.out = at.result(Kind::kReal, {batch, m, n});
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, Kind::kReal);
        at.run(device);
    }
}

inline void try_long_product(const std::shared_ptr<Device>& device, std::int64_t batch, std::int64_t m, std::int64_t n,
                             std::int64_t k, bool a_turned, bool b_turned) {
    CAPTURE(batch, m, n, k, a_turned, b_turned);
    run_long(device, [&] {
        std::mt19937_64 generator(2);
        Case at;
        Op op{.code = Code::kProduct, .kind = Kind::kReal, .in = {}, .out = {}};
        op.in = {side(at, generator, batch, m, k, a_turned), side(at, generator, batch, k, n, b_turned),
                 at.column<float>({batch, n}, normal(generator, batch * n)),
                 at.column<float>({batch, m, n}, normal(generator, batch * m * n))};
        op.tail = Tail::kWherePositive;
        op.out = at.result(Kind::kReal, {batch, m, n});
        const View out = op.out;
        at.add(std::move(op));
        at.see(out, Kind::kReal);
        return at;
    });
}

// A long k is cut into parts, so that the bits are those of the CPU only nearly.
inline void try_long_products(const std::shared_ptr<Device>& device) {
    for (const auto& [m, n, k] : {std::tuple(4, 3, 513), {17, 40, 1300}, {70, 9, 1024}, {1, 33, 2049}}) {
        for (const bool turned : {false, true}) {
            try_long_product(device, 2, m, n, k, turned, !turned);
        }
    }
    // large ones: with square tiles, few rows or columns in a tile, and so few that each thread has all of them
    for (const bool turned : {false, true}) {
        try_long_product(device, 2, 64, 36, 1016, true, turned);
        try_long_product(device, 1, 70, 41, 1500, !turned, turned);
        try_long_product(device, 1, 110, 72, 513, false, turned);
        try_long_product(device, 1, 17, 132, 1800, true, turned);
        try_long_product(device, 1, 200, 20, 1000, turned, false);
        try_long_product(device, 1, 2, 64, 32'000, true, false);
        try_long_product(device, 2, 30, 3, 25'000, true, turned);
        try_long_product(device, 1, 1, 67, 61'000, turned, false);
    }
}

// The gradients of a layer's weights and bias: slopes, transposed, times inputs, and sums of slopes over all rows,
// which the product adds up as well.
inline void try_gradients(const std::shared_ptr<Device>& device, std::int64_t outputs, std::int64_t inputs,
                          std::int64_t rows) {
    CAPTURE(outputs, inputs, rows);
    run_long(
        device,
        [&] {
            std::mt19937_64 generator(5);
            Case at;
            at.counts = true;
            const View slopes = at.column<float>({rows, outputs}, normal(generator, rows * outputs));
            Op product{.code = Code::kProduct, .kind = Kind::kReal, .in = {}, .out = {}};
            product.in = {{.buffer = slopes.buffer,
                           .offset = 0,
                           .shape = {1, outputs, rows},
                           .strides = {rows * outputs, 1, outputs}},
                          side(at, generator, 1, rows, inputs, false)};
            product.out = at.result(Kind::kReal, {1, outputs, inputs});
            Op sum{
                .code = Code::kSum, .kind = Kind::kReal, .in = {slopes}, .out = at.result(Kind::kReal, {1, outputs})};
            for (const View& out : {product.out, sum.out}) {
                at.see(out, Kind::kReal);
            }
            at.add(std::move(product));
            at.add(std::move(sum));
            return at;
        },
        1);
}

// Square tiles, those of few rows or columns, and so few that each thread has all of them.
inline void try_all_gradients(const std::shared_ptr<Device>& device) {
    try_gradients(device, 64, 72, 1016);
    try_gradients(device, 110, 72, 513);
    try_gradients(device, 17, 132, 1800);
    try_gradients(device, 200, 20, 1000);
    try_gradients(device, 1, 64, 70'000);
    try_gradients(device, 2, 67, 32'000);
    try_gradients(device, 70, 4, 15'000);
}

}  // namespace on_device
