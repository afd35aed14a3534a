// SPDX-License-Identifier: Apache-2.0
// The loops in which a compiled program spends its time, once for each kind of processor; kernels() has the ones for
// this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compiled/ir.hpp"
#include "data/dtype.hpp"

namespace tenon::compiled {

// c[b] = a[b] times b[b] + bias[b], rows of c of unit stride. An element depends on its row and column alone, not on
// where they stand.
struct Product {
    std::int64_t batch = 1;
    std::int64_t m = 0;
    std::int64_t n = 0;
    std::int64_t k = 0;
    const void* a = nullptr;
    std::array<std::int64_t, 3> a_strides{};  // batch, m, k
    const void* b = nullptr;
    std::array<std::int64_t, 3> b_strides{};  // batch, k, n
    const void* bias = nullptr;               // null: none
    std::int64_t bias_stride = 0;             // batch; 1 along n
    void* c = nullptr;
    std::int64_t c_batch = 0;
    std::int64_t c_row = 0;
    void* scratch = nullptr;  // product_scratch(...) bytes, aligned to 64
};

// n elements of x, `stride` apart, as one.
struct Run {
    const void* x = nullptr;
    std::int64_t stride = 1;
    std::int64_t n = 0;
};

struct Kernels {
    using Map = void (*)(void* out, const void* const* in, std::size_t n);

    // By code: real in, real out but for comparisons (bool out) and conversions. Dense, not overlapping unless equal.
    std::array<Map, static_cast<std::size_t>(Code::kElementwise)> map{};
    std::array<Map, static_cast<std::size_t>(Code::kElementwise)> map_int{};   // those of int
    std::array<Map, static_cast<std::size_t>(Code::kElementwise)> map_bool{};  // those of bool

    void (*product)(const Product& product) = nullptr;
    std::size_t (*product_scratch)(std::int64_t n, std::int64_t k, std::int64_t m) = nullptr;

    double (*sum)(const Run& run) = nullptr;
    double (*max)(const Run& run) = nullptr;
    double (*min)(const Run& run) = nullptr;
    // out[i] = the two of out[i] and x[i]
    Map add_to = nullptr;  // in[0]: x
    Map max_to = nullptr;
    Map min_to = nullptr;
};

const Kernels& kernels(DType real);

}  // namespace tenon::compiled
