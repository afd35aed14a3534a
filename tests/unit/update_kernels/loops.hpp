// SPDX-License-Identifier: Apache-2.0
// Loops of many operations, and of many elements.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "unit/update_kernels/on_device.hpp"

namespace on_device {

// Loops that are too large to share a launch.
inline void try_large_loops(const std::shared_ptr<Device>& device, int times) {
    constexpr std::int64_t kRows = 700;
    std::mt19937_64 generator(6);
    Case at;
    at.times = times;
    const View x = at.column<float>({kRows, kRows}, normal(generator, kRows * kRows));
    View turned = x;
    std::swap(turned.strides[0], turned.strides[1]);
    for (const View& other : {turned, x}) {
        const View out = at.result(Kind::kReal, {kRows, kRows});
        at.add({.code = Code::kSub, .kind = Kind::kReal, .in = {x, other}, .out = out});
        at.see(out, Kind::kReal);
    }
    at.run(device);
}

inline void try_long_loops(const std::shared_ptr<Device>& device, int times = 1) {
    std::mt19937_64 generator(5);
    Case at;
    at.times = times;
    View x = at.column<float>({7, 11}, normal(generator, 77));
    View turned = at.column<float>({11, 7}, normal(generator, 77));
    std::swap(turned.shape[0], turned.shape[1]);
    std::swap(turned.strides[0], turned.strides[1]);
    View row = at.column<float>({1, 11}, normal(generator, 11));
    row.shape[0] = 7;
    row.strides[0] = 0;
    for (int i = 0; i < 200; ++i) {
        Op op{.code = i % 3 == 0   ? Code::kTanh
                      : i % 3 == 1 ? Code::kAdd
                                   : Code::kMul,
              .kind = Kind::kReal,
              .in = {x},
              .out = at.result(Kind::kReal, {7, 11})};
        if (i % 3 != 0) {
            op.in.push_back(i % 2 == 0 ? row : turned);
        }
        x = op.out;
        at.add(std::move(op));
        if (i % 50 == 49) {
            at.see(x, Kind::kReal);
        }
    }
    at.run(device);
}

}  // namespace on_device
