// SPDX-License-Identifier: Apache-2.0
// Windows of images, and their sums.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "unit/update_kernels/on_device.hpp"

namespace on_device {

inline void try_images_of(const std::shared_ptr<Device>& device, std::int64_t channels) {
    std::mt19937_64 generator(11);
    for (const Window window : {Window{.height = 3, .width = 2, .stride = 1, .padding = 0, .fill = 0},
                                {.height = 3, .width = 3, .stride = 2, .padding = 1, .fill = -7},
                                {.height = 2, .width = 3, .stride = 3, .padding = 2, .fill = 0},
                                {.height = 7, .width = 5, .stride = 1, .padding = 0, .fill = 0}}) {
        CAPTURE(channels, window.height, window.width, window.stride, window.padding);
        const std::vector<std::int64_t> image{2, 7, 6, channels};
        const auto windows_of = [&](std::int64_t size, std::int64_t of) {
            return (size + 2 * window.padding - of) / window.stride + 1;
        };
        const std::int64_t places = windows_of(7, window.height) * windows_of(6, window.width);
        const std::vector<std::int64_t> windows{2, places, window.height * window.width * channels};
        Case at;
        const auto see = [&](Code code, const View& in, const std::vector<std::int64_t>& shape) {
            Op op{.code = code, .kind = Kind::kReal, .in = {in}, .out = at.result(Kind::kReal, shape)};
            op.window = window;
            const View out = op.out;
            at.add(std::move(op));
            at.see(out, Kind::kReal);
            return out;
        };
        const View x = at.column<float>(image, normal(generator, 2 * 7 * 6 * channels));
        see(Code::kUnpatch, see(Code::kPatches, x, windows), image);
        see(Code::kUnpatch, at.column<float>(windows, normal(generator, 2 * places * windows[2])), image);
        at.run(device);
    }
}

inline void try_images(const std::shared_ptr<Device>& device) {
    try_images_of(device, 3);
    try_images_of(device, 8);  // in fours
}

}  // namespace on_device
