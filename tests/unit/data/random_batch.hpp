// SPDX-License-Identifier: Apache-2.0
// Batches of random bytes, and what tests ask of two of them.
#pragma once

#include <cstring>
#include <random>
#include <vector>

#include "base/data/batch.hpp"
#include "support/catch.hpp"

namespace tenon::test {

struct Random {
    explicit Random(unsigned seed) : bits(seed) {}
    std::int64_t pick(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(bits);
    }
    std::mt19937_64 bits;
};

// A batch whose every byte is random, with columns of several dtypes, ranks and branches.
inline Batch random_batch(const Shape& leading, std::mt19937_64& random) {
    Batch out(leading);
    const auto fill = [&](const char* key, DType dtype, const Shape& row) {
        const Result<View> view = out.add(key, dtype, row);
        REQUIRE(view);
        for (std::size_t i = 0; i < view->bytes(); ++i) {
            static_cast<unsigned char*>(view->data)[i] = static_cast<unsigned char>(random());
        }
    };
    fill("observation", DType::kF32, {4});
    fill("action", DType::kI64, {});
    fill("next.observation", DType::kF32, {4});
    fill("next.done", DType::kU8, {});
    fill("my_own.pixels", DType::kU8, {2, 3});
    return out;
}

inline std::vector<unsigned char> bytes_of(const View& view) {
    std::vector<unsigned char> out(view.bytes());
    copy(view, dense(out.data(), view.dtype, view.shape));
    return out;
}

// Whether both have the same columns, in any order.
inline bool same(const Batch& a, const Batch& b) {
    if (a.leading() != b.leading() || a.columns().size() != b.columns().size()) {
        return false;
    }
    for (const BatchColumn& column : a.columns()) {
        const View* const other = b.find(column.key);
        if (other == nullptr || other->dtype != column.view.dtype || other->shape != column.view.shape ||
            bytes_of(column.view) != bytes_of(*other)) {
            return false;
        }
    }
    return true;
}

}  // namespace tenon::test
