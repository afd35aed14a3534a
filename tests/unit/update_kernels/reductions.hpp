// SPDX-License-Identifier: Apache-2.0
// Sums and extremes over dimensions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "unit/update_kernels/on_device.hpp"

namespace on_device {

inline Case reduction(Code code, std::vector<std::int64_t> shape, const std::vector<bool>& goes, bool turned) {
    std::mt19937_64 generator(shape.size());
    Case at;
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        count *= size;
    }
    View x = at.column<float>(shape, normal(generator, count));
    std::vector<bool> reduced = goes;
    if (turned) {
        std::reverse(x.shape.begin(), x.shape.end());
        std::reverse(x.strides.begin(), x.strides.end());
        std::reverse(reduced.begin(), reduced.end());
    }
    std::vector<std::int64_t> kept = x.shape;
    for (std::size_t d = 0; d < kept.size(); ++d) {
        kept[d] = reduced[d] ? 1 : kept[d];
    }
    Op op{.code = code, .kind = Kind::kReal, .in = {x}, .out = at.result(Kind::kReal, kept)};
    const View out = op.out;
    at.add(std::move(op));
    at.see(out, Kind::kReal);
    return at;
}

inline void try_reductions(const std::shared_ptr<Device>& device) {
    for (const Code code : {Code::kSum, Code::kMax, Code::kMin}) {
        for (const bool turned : {false, true}) {
            CAPTURE(static_cast<int>(code), turned);
            const auto long_one = [&](const std::vector<std::int64_t>& shape, const std::vector<bool>& goes) {
                run_long(device, [&] { return reduction(code, shape, goes, turned); });
            };
            reduction(code, {9, 5}, {false, true}, turned).run(device);
            reduction(code, {9, 70}, {false, true}, turned).run(device);
            reduction(code, {9, 70}, {true, false}, turned).run(device);
            reduction(code, {9000}, {true}, turned).run(device);
            reduction(code, {512, 6}, {true, false}, turned).run(device);
            // longer ones are cut into parts
            long_one({1025, 6}, {true, false});
            long_one({20'000, 2}, {true, false});
            long_one({20'000, 3}, {true, true});
            long_one({1030, 67}, {true, false});
            long_one({3000, 72}, {true, false});
            long_one({700, 5, 6}, {true, false, false});
            long_one({70'000}, {true});
            reduction(code, {3, 40, 6}, {true, false, true}, turned).run(device);
            reduction(code, {3, 40, 50}, {false, true, true}, turned).run(device, !turned);  // turned, it is cut
            reduction(code, {2, 3, 4, 5}, {false, true, false, true}, turned).run(device);
        }
    }
}

}  // namespace on_device
