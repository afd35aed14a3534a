// SPDX-License-Identifier: Apache-2.0
// Windows of images, for convolutions and pooling, and the sums of all values that belong to the same pixel. A thread
// computes one element of the result, or four channels of a pixel.
#pragma once

#include <cstdint>

#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

// The position of an image's element, from its number in [images, height, width, channels].
struct Pixel {
    std::int64_t image, y, x, channel;
};

__device__ inline Pixel pixel_of(const PatchWork& work, std::int64_t number) {
    const Cell of_x = cell_of(number, work.channels);
    const Cell of_y = cell_of(of_x.row, work.width);
    const Cell of_image = cell_of(of_y.row, work.height);
    return {of_image.row, of_image.column, of_y.column, of_x.column};
}

// Whether channels can be copied in fours, and 32 bits are enough for all numbers.
__device__ inline bool goes_in_fours(const PatchWork& work) {
    const std::int64_t windows = work.images * work.rows * work.columns;
    const std::int64_t each = std::int64_t{work.window_height} * work.window_width * work.channels;
    const auto both = reinterpret_cast<std::uintptr_t>(work.in) | reinterpret_cast<std::uintptr_t>(work.out);
    return work.channels % 4 == 0 && both % sizeof(Four) == 0 && windows * each < INT32_MAX &&
           work.images * work.height * work.width * work.channels < INT32_MAX;
}

// Quotient and remainder of small numbers.
struct SmallCell {
    unsigned row, column;
};

__device__ inline SmallCell small_cell_of(unsigned number, unsigned columns) {
    const unsigned row = number / columns;
    return {row, number - row * columns};
}

// A row of a window is contiguous in the image as well.
__device__ inline void patches_in_fours(const PatchWork& work, Blocks blocks) {
    const auto fours = static_cast<unsigned>(work.channels) / 4;  // of a pixel
    const unsigned run = static_cast<unsigned>(work.window_width) * fours;
    const auto height = static_cast<int>(work.height);
    const auto width = static_cast<int>(work.width);
    const auto count =
        static_cast<unsigned>(work.images * work.rows * work.columns) * static_cast<unsigned>(work.window_height) * run;
    const auto* in = reinterpret_cast<const Four*>(work.in);
    auto* out = reinterpret_cast<Four*>(work.out);
    const Four filled{work.fill, work.fill, work.fill, work.fill};
    const auto all = static_cast<unsigned>(all_threads(blocks));
    for (auto i = static_cast<unsigned>(first_of_thread(blocks)); i < count; i += all) {
        const SmallCell of_run = small_cell_of(i, run);
        const SmallCell of_window = small_cell_of(of_run.row, static_cast<unsigned>(work.window_height));
        const SmallCell of_column = small_cell_of(of_window.row, static_cast<unsigned>(work.columns));
        const SmallCell of_row = small_cell_of(of_column.row, static_cast<unsigned>(work.rows));
        const int y = static_cast<int>(of_row.column) * work.stride - work.padding + static_cast<int>(of_window.column);
        const int left = static_cast<int>(of_column.column) * work.stride - work.padding;
        bool is_inside = true;
        if (work.padding != 0) {
            const int x = left + static_cast<int>(of_run.column / fours);
            is_inside = y >= 0 && y < height && x >= 0 && x < width;
        }
        const int from = ((static_cast<int>(of_row.row) * height + y) * width + left) * static_cast<int>(fours) +
                         static_cast<int>(of_run.column);
        out[i] = is_inside ? in[from] : filled;
    }
}

__device__ inline void patches(const PatchWork& work, Blocks blocks) {
    if (goes_in_fours(work)) {
        patches_in_fours(work, blocks);
        return;
    }
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

// The first window that contains a pixel; windows begin every `stride` pixels.
__device__ inline std::int64_t first_window(std::int64_t pixel, std::int64_t window, std::int64_t stride) {
    return pixel < window ? 0 : quotient(pixel - window + stride, stride);
}

// The same as unpatch, in fours.
__device__ inline void unpatch_in_fours(const PatchWork& work, Blocks blocks) {
    const auto fours = static_cast<unsigned>(work.channels) / 4;  // of a pixel
    const auto stride = static_cast<unsigned>(work.stride);
    const auto window_height = static_cast<unsigned>(work.window_height);
    const auto window_width = static_cast<unsigned>(work.window_width);
    const unsigned each = window_height * window_width * fours;
    const auto count = static_cast<unsigned>(work.images * work.height * work.width) * fours;
    const auto rows = static_cast<unsigned>(work.rows);
    const auto columns = static_cast<unsigned>(work.columns);
    const auto* in = reinterpret_cast<const Four*>(work.in);
    auto* out = reinterpret_cast<Four*>(work.out);
    const auto first_of = [&](unsigned pixel, unsigned window) {
        return pixel < window ? 0U : (pixel - window + stride) / stride;
    };
    const auto all = static_cast<unsigned>(all_threads(blocks));
    for (auto i = static_cast<unsigned>(first_of_thread(blocks)); i < count; i += all) {
        const SmallCell of_x = small_cell_of(i, fours);
        const SmallCell of_y = small_cell_of(of_x.row, static_cast<unsigned>(work.width));
        const SmallCell of_image = small_cell_of(of_y.row, static_cast<unsigned>(work.height));
        const unsigned y = of_image.column + static_cast<unsigned>(work.padding);
        const unsigned x = of_y.column + static_cast<unsigned>(work.padding);
        const unsigned left = first_of(x, window_width);
        Four sum{};
        for (unsigned row = first_of(y, window_height); row < rows && row * stride <= y; ++row) {
            for (unsigned column = left; column < columns && column * stride <= x; ++column) {
                const unsigned window = (of_image.row * rows + row) * columns + column;
                const unsigned place = (y - row * stride) * window_width + x - column * stride;
                const Four next = in[window * each + place * fours + of_x.column];
                TENON_UNROLL for (int j = 0; j < 4; ++j) {
                    sum.x[j] += next.x[j];
                }
            }
        }
        out[i] = sum;
    }
}

// In the order of the windows, as on the CPU.
__device__ inline void unpatch(const PatchWork& work, Blocks blocks) {
    if (goes_in_fours(work)) {
        unpatch_in_fours(work, blocks);
        return;
    }
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
