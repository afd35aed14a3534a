// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "base/simd/tanh.hpp"
#include "engines/compiled/sharing.hpp"
#include "engines/compiled/walking.hpp"

namespace tenon::compiled {
namespace {

template <class T>
Product product_of(const Op& op, const Memory& memory) {
    const View& a = op.in[0];
    const View& b = op.in[1];
    Product task;
    task.batch = a.shape[0];
    task.m = a.shape[1];
    task.k = a.shape[2];
    task.n = b.shape[2];
    task.a = at<const T>(memory, a) + a.offset;
    task.a_strides = {a.strides[0], a.strides[1], a.strides[2]};
    task.b = at<const T>(memory, b) + b.offset;
    task.b_strides = {b.strides[0], b.strides[1], b.strides[2]};
    if (const View* bias = bias_of(op)) {
        task.bias = at<const T>(memory, *bias) + bias->offset;
        task.bias_stride = bias->strides[0];
    }
    task.tail = op.tail == Tail::kTanh ? Tail::kNone : op.tail;
    if (const View* with = tail_input_of(op)) {
        task.with = at<const T>(memory, *with) + with->offset;
        task.with_batch = with->strides[0];
        task.with_row = with->strides[1];
    }
    task.c = at<T>(memory, op.out) + op.out.offset;
    task.c_batch = op.out.strides[0];
    task.c_row = op.out.strides[1];
    return task;
}

// Computes the batches, or the rows of each, from `first` to `first + count`.
template <class T>
Product part_of(Product task, bool by_batch, std::int64_t first, std::int64_t count) {
    (by_batch ? task.batch : task.m) = count;
    task.a = static_cast<const T*>(task.a) + first * task.a_strides[by_batch ? 0 : 1];
    task.c = static_cast<T*>(task.c) + first * (by_batch ? task.c_batch : task.c_row);
    if (task.with != nullptr) {
        task.with = static_cast<const T*>(task.with) + first * (by_batch ? task.with_batch : task.with_row);
    }
    if (by_batch) {
        task.b = static_cast<const T*>(task.b) + first * task.b_strides[0];
        task.bias = task.bias == nullptr ? nullptr : static_cast<const T*>(task.bias) + first * task.bias_stride;
    }
    return task;
}

// Whether whole batches can be shared evenly. Otherwise the rows of each batch are shared, and each thread packs the
// right sides of all batches.
bool is_even(std::int64_t batches, std::int64_t threads) {
    const std::int64_t longest = (batches + threads - 1) / threads;
    return longest * threads * 4 <= batches * 5;
}

// The value of an element does not depend on the split, so the split may depend on the number of threads.
template <class T>
void product(const Op& op, const Kernels& k, const Memory& memory) {
    constexpr std::int64_t kProductWorthSharing = 250'000;  // multiplications: a few microseconds
    constexpr std::int64_t kFewestRows = 24;                // of a part: a few tiles on every processor
    constexpr std::int64_t kRows = 8;  // of a part, which is a multiple of it: fills the registers of every tile
    Product task = product_of<T>(op, memory);
    const auto desks = static_cast<std::int64_t>(memory.desks.size());
    const bool has_rows = task.m >= 2 * kFewestRows;
    const bool by_batch = task.batch >= desks && (!has_rows || is_even(task.batch, desks));
    const std::int64_t units = by_batch ? task.batch : task.m;
    const bool divisible = by_batch || has_rows;
    if (desks == 1 || !divisible || task.batch * task.m * task.n * task.k < kProductWorthSharing) {
        task.scratch = memory.desks.front().scratch;
        task.lasting = op.lasting == 0 ? nullptr : memory.bases[op.lasting];
        task.lasting_stands = memory.same_parameters;
        k.product(task);
        return;
    }
    const std::int64_t even = (units + desks - 1) / desks;
    std::int64_t part = by_batch ? even : std::max((even + kRows - 1) / kRows * kRows, kFewestRows);
    while (!by_batch && units % part > 0 && units % part < kRows) {
        part += kRows;  // a short rest might be summed in another order
    }
    share(memory, units, part, [&](std::int64_t first, std::int64_t count, const Desk& desk) {
        Product mine = part_of<T>(task, by_batch, first, count);
        mine.scratch = desk.scratch;
        k.product(mine);
    });
}

template <class T>
void run(const Op& op, DType real, const Memory& memory) {
    product<T>(op, kernels(real), memory);
    if (op.tail == Tail::kTanh) {  // of a program for a device that is computed here for comparison
        T* const out = at<T>(memory, op.out) + op.out.offset;
        simd::tanh(out, out, static_cast<std::size_t>(op.out.count()));
    }
}

}  // namespace

void run_product(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    real == DType::kF64 ? run<double>(op, real, memory) : run<float>(op, real, memory);
}

}  // namespace tenon::compiled
