// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/operations.hpp"

#include <algorithm>
#include <numeric>

#include "engines/compiled/walking.hpp"

namespace tenon::compiled {
namespace {

// A stable sort, so that the result does not depend on the algorithm.
template <class T>
void argsort(const Op& op, const Memory& memory) {
    const View& x = op.in[0];
    const std::int64_t n = x.shape.back();
    const std::int64_t stride = x.strides.back();
    const T* from = at<const T>(memory, x);
    auto* out = at<std::int64_t>(memory, op.out);
    const Numbers rows = Numbers(x.shape).first(x.shape.size() - 1);
    const auto in_order = [&](auto comes_before) {
        each_place<2>(rows, {walk(x), walk(op.out)}, [&](const auto& place) {
            const T* row = from + place[0];
            std::int64_t* order = out + place[1];
            std::iota(order, order + n, 0);
            std::sort(order, order + n, [&](std::int64_t i, std::int64_t j) {
                const T a = row[i * stride];
                const T b = row[j * stride];
                return comes_before(a, b) || (!comes_before(b, a) && i < j);
            });
        });
    };
    if (op.number == 0) {
        in_order([](T a, T b) { return a < b || (b != b && a == a); });
    } else {
        in_order([](T a, T b) { return a > b || (a != a && b == b); });
    }
}

template <class T>
void put_along(const Op& op, const Memory& memory) {
    const View& x = op.in[0];
    const View& index = op.in[1];
    const std::int64_t n = op.out.shape.back();
    const T* from = at<const T>(memory, x);
    const auto* places = at<const std::int64_t>(memory, index);
    T* out = at<T>(memory, op.out);
    const Numbers rows = Numbers(x.shape).first(x.shape.size() - 1);
    each_place<3>(rows, {walk(x), walk(index), walk(op.out)}, [&](const auto& place) {
        T* row = out + place[2];
        std::fill_n(row, n, T{0});
        for (std::int64_t j = 0; j < x.shape.back(); ++j) {
            const std::int64_t to = places[place[1] + j * index.strides.back()];
            const std::int64_t i = std::clamp<std::int64_t>(to, 0, n - 1);
            memory.faulty = memory.faulty || i != to;
            row[i] += from[place[0] + j * x.strides.back()];
        }
    });
}

// Places that share an index are copied at once.
template <class T>
void put(const Op& op, const Memory& memory) {
    const View& index = op.in[0];
    const View& row = op.in[1];
    const Numbers places = Numbers(op.out.shape).first(op.out.shape.size() - 1);
    const std::int64_t n = op.out.shape.back();
    const std::int64_t stride = op.out.strides.back();
    const std::size_t last = places.empty() ? 0 : places.size() - 1;
    const bool whole = !places.empty() && index.strides[last] == 0;
    const std::int64_t run = whole ? places[last] : 1;
    const std::int64_t from_apart = whole ? row.strides[last] : 1, to_apart = whole ? op.out.strides[last] : 1;
    const auto* chosen = at<const std::int64_t>(memory, index);
    const T* from = at<const T>(memory, row);
    T* out = at<T>(memory, op.out);
    each_place<3>(whole ? places.first(last) : places, {walk(index), walk(row), walk(op.out)}, [&](const auto& place) {
        const std::int64_t i = std::clamp<std::int64_t>(chosen[place[0]], 0, n - 1);
        memory.faulty = memory.faulty || i != chosen[place[0]];
        const T* in = from + place[1];
        T* to = out + place[2] + i * stride;
        if (from_apart == 1 && to_apart == 1) {
            std::copy_n(in, run, to);
            return;
        }
        for (std::int64_t j = 0; j < run; ++j) {
            to[j * to_apart] = in[j * from_apart];
        }
    });
}

}  // namespace

void run_argsort(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_real(real, [&](auto zero) { argsort<decltype(zero)>(op, memory); });
}

void run_put(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_stored(op.kind, real, [&](auto zero) { put<decltype(zero)>(op, memory); });
}

void run_put_along(const Op& op, DType real, const Memory& memory, const Call& /*call*/) {
    with_real(real, [&](auto zero) { put_along<decltype(zero)>(op, memory); });
}

}  // namespace tenon::compiled
