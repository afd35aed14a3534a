// SPDX-License-Identifier: Apache-2.0
// Windows of images, for convolutions and pooling, and the sums of what belongs to the same pixel. A thread has an
// element of the result.
#pragma once

#include <cstdint>

#include "compute/compiled/device/places.cuh"

namespace tenon::compiled::device {

// An element of an image by its number in [images, height, width, channels].
struct Pixel {
    std::int64_t image, y, x, channel;
};

__device__ inline Pixel pixel_of(const PatchWork& work, std::int64_t number) {
    const Cell of_x = cell_of(number, work.channels);
    const Cell of_y = cell_of(of_x.row, work.width);
    const Cell of_image = cell_of(of_y.row, work.height);
    return {of_image.row, of_image.column, of_y.column, of_x.column};
}

__device__ inline void patches(const PatchWork& work, Blocks blocks) {
    const std::int64_t each = std::int64_t{work.window_height} * work.window_width * work.channels;
    for (std::int64_t i = first_of_thread(blocks); i < work.images * work.rows * work.columns * each;
         i += all_threads(blocks)) {
        const Cell of_window = cell_of(i, each);
        const Cell of_x = cell_of(of_window.column, work.channels);
        const Cell of_place = cell_of(of_x.row, work.window_width);
        const Cell of_column = cell_of(of_window.row, work.columns);
        const Cell of_row = cell_of(of_column.row, work.rows);
        const std::int64_t y = of_row.column * work.stride - work.padding + of_place.row;
        const std::int64_t x = of_column.column * work.stride - work.padding + of_place.column;
        const bool is_inside = y >= 0 && y < work.height && x >= 0 && x < work.width;
        work.out[i] = is_inside
                          ? work.in[((of_row.row * work.height + y) * work.width + x) * work.channels + of_x.column]
                          : work.fill;
    }
}

// The first window that has a pixel: of those that begin every `stride` pixels.
__device__ inline std::int64_t first_window(std::int64_t pixel, std::int64_t window, std::int64_t stride) {
    return pixel < window ? 0 : quotient(pixel - window + stride, stride);
}

// In the order of the windows, as on the CPU.
__device__ inline void unpatch(const PatchWork& work, Blocks blocks) {
    const std::int64_t each = std::int64_t{work.window_height} * work.window_width * work.channels;
    for (std::int64_t i = first_of_thread(blocks); i < work.images * work.height * work.width * work.channels;
         i += all_threads(blocks)) {
        const Pixel pixel = pixel_of(work, i);
        const std::int64_t y = pixel.y + work.padding;
        const std::int64_t x = pixel.x + work.padding;
        float sum = 0;
        for (std::int64_t row = first_window(y, work.window_height, work.stride);
             row < work.rows && row * work.stride <= y; ++row) {
            for (std::int64_t column = first_window(x, work.window_width, work.stride);
                 column < work.columns && column * work.stride <= x; ++column) {
                const std::int64_t window = (pixel.image * work.rows + row) * work.columns + column;
                const std::int64_t place = (y - row * work.stride) * work.window_width + x - column * work.stride;
                sum += work.in[window * each + place * work.channels + pixel.channel];
            }
        }
        work.out[i] = sum;
    }
}

}  // namespace tenon::compiled::device
