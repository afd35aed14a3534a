// SPDX-License-Identifier: Apache-2.0
// Sums and extremes over dimensions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
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

// A few elements along the last size or the first, with what is no number and zeros of both signs among them.
inline void try_short_sums(const std::shared_ptr<Device>& device) {
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    constexpr float kMost = std::numeric_limits<float>::infinity();
    const float some[] = {0.0F, -0.0F, kNone, kMost, -kMost, 1.5F, -1e-40F, 3e38F};
    for (const Code code : {Code::kSum, Code::kMax, Code::kMin}) {
        for (const std::int64_t few : {2, 3, 8}) {
            for (const bool along_first : {false, true}) {
                CAPTURE(static_cast<int>(code), few, along_first);
                std::vector<std::vector<std::byte>> found;
                for (const bool written_out : {false, true}) {
                    std::mt19937_64 generator(7);
                    std::vector<float> values = normal(generator, 100 * few);
                    for (std::size_t i = 0; i < values.size(); i += 1 + generator() % 3) {
                        values[i] = some[generator() % std::size(some)];
                    }
                    Case at;
                    at.written_out = written_out;
                    at.counts = true;
                    const View x = at.column<float>(
                        along_first ? std::vector{few, std::int64_t{100}} : std::vector{std::int64_t{100}, few}, values);
                    const View sum = at.result(Kind::kReal, along_first ? std::vector<std::int64_t>{1, 100}
                                                                        : std::vector<std::int64_t>{100, 1});
                    const View back = at.result(Kind::kReal, {100});
                    const View flat = dense_view(sum.buffer, {100});
                    at.add({.code = code, .kind = Kind::kReal, .in = {x}, .out = sum});
                    at.add({.code = Code::kNeg, .kind = Kind::kReal, .in = {flat}, .out = back});
                    at.see(back, Kind::kReal);
                    at.run(device);
                    CHECK(at.launched == (written_out ? 1 : 2));
                    found.push_back(at.found.front());
                }
                CHECK(same_numbers(found[0], found[1]));
            }
        }
    }
}

}  // namespace on_device
