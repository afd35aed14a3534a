// SPDX-License-Identifier: Apache-2.0
// The loops in which a compiled program spends its time. They are compiled once for each kind of processor; kernels()
// has those for this machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/data/dtype.hpp"
#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// c[b] = tail(a[b] times b[b] + bias[b]); rows of c are contiguous. An element depends on its row of a and its column
// of b alone, not on their numbers.
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
    Tail tail = Tail::kNone;
    const void* with = nullptr;  // of the tail
    std::int64_t with_batch = 0;
    std::int64_t with_row = 0;  // 1 along n
    void* scratch = nullptr;    // product_scratch(...) bytes, aligned to 64
    // Where a right side with contiguous columns stays packed between calls (batch 1), with a copy that shows whether
    // it has changed since: product_lasting(...) elements, zeros at first. Null: the side is packed at each call.
    void* lasting = nullptr;
    bool lasting_stands = false;  // the right side has not changed since the last call
};

// One head of an attention: [queries, width], [keys, width] and [keys, value_width] give [queries, value_width]. The
// elements of a row are contiguous.
struct Attention {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    std::int64_t width = 0;
    std::int64_t value_width = 0;
    double scale = 1;
    bool causal = false;
    std::int64_t window = 0;  // the last keys up to the query's own; 0: all
    const void* query = nullptr;
    std::int64_t query_row = 0;
    const void* key = nullptr;
    std::int64_t key_row = 0;
    const void* value = nullptr;
    std::int64_t value_row = 0;
    const unsigned char* allowed = nullptr;  // null: all
    std::int64_t allowed_row = 0;
    std::int64_t allowed_key = 0;
    const std::int64_t* first = nullptr;  // key that a query may attend to; null: 0
    std::int64_t first_row = 0;
    std::int64_t first_step = 0;  // is added for each query
    void* out = nullptr;
    std::int64_t out_row = 0;
    // Of the gradient: that of the result, and those of the inputs, null if not wanted.
    const void* out_gradient = nullptr;
    std::int64_t out_gradient_row = 0;
    void* query_gradient = nullptr;
    std::int64_t query_gradient_row = 0;
    std::int64_t gradient_from = 0;  // the first key that has a gradient, as its value has
    void* key_gradient = nullptr;
    std::int64_t key_gradient_row = 0;
    void* value_gradient = nullptr;
    std::int64_t value_gradient_row = 0;
    void* scratch = nullptr;  // attention_scratch(...) bytes, aligned to 64
};

// One head of several queries that share the first keys and values, while each has its own after them. Of `first`, the
// keys and values are the shared ones and the query, what is allowed and the result are the first query's.
struct SharedAttention {
    Attention first{};
    std::int64_t count = 1;  // queries; each has one row
    std::int64_t query_apart = 0;
    std::int64_t allowed_apart = 0;
    std::int64_t out_apart = 0;
    std::int64_t first_key_col = 1;  // the distance between the elements of a shared key
    std::int64_t existing = 0;       // shared keys that can be read, whatever they are
    std::int64_t keys = 0;           // of each query's own
    const void* key = nullptr;
    std::int64_t key_row = 0;
    std::int64_t key_col = 1;  // the distance between the elements of a key
    std::int64_t key_apart = 0;
    const void* value = nullptr;
    std::int64_t value_row = 0;
    std::int64_t value_apart = 0;
};

// n elements of x, `stride` apart, which are reduced to one.
struct Run {
    const void* x = nullptr;
    std::int64_t stride = 1;
    std::int64_t n = 0;
};

// Rows of contiguous elements; the rows are `stride` apart.
struct Rows {
    const void* x = nullptr;
    std::int64_t stride = 0;
    std::int64_t rows = 0;
    std::int64_t width = 0;
};

struct Kernels {
    using Map = void (*)(void* out, const void* const* in, std::size_t n);

    // By code: reads and writes reals, except comparisons (which write bools) and conversions. Memory is dense; the
    // output may be an input, but must not overlap it otherwise.
    std::array<Map, static_cast<std::size_t>(Code::kElementwise)> map{};
    std::array<Map, static_cast<std::size_t>(Code::kElementwise)> map_int{};   // those of int
    std::array<Map, static_cast<std::size_t>(Code::kElementwise)> map_bool{};  // those of bool

    void (*product)(const Product& product) = nullptr;
    std::size_t (*product_scratch)(std::int64_t n, std::int64_t k, std::int64_t m) = nullptr;
    std::int64_t (*product_lasting)(std::int64_t m, std::int64_t n, std::int64_t k) = nullptr;  // 0: none is needed

    void (*attention)(const Attention& head) = nullptr;
    void (*attention_gradient)(const Attention& head) = nullptr;
    std::size_t (*attention_scratch)(const Attention& head, bool gradient) = nullptr;  // reads the sizes alone
    void (*shared_attention)(const SharedAttention& head) = nullptr;
    std::size_t (*shared_attention_scratch)(const SharedAttention& head) = nullptr;

    double (*sum)(const Run& run) = nullptr;
    void (*sum_rows)(const Rows& rows, void* out, std::int64_t apart) = nullptr;  // of each row, as `sum`
    double (*max)(const Run& run) = nullptr;
    double (*min)(const Run& run) = nullptr;
    // Joins the rows with `out`, one row after the other.
    using Onto = void (*)(void* out, const Rows& rows);
    Onto sum_onto = nullptr;
    Onto max_onto = nullptr;
    Onto min_onto = nullptr;
};

const Kernels& kernels(DType real);

}  // namespace tenon::compiled
