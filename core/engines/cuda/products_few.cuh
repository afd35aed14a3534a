// SPDX-License-Identifier: Apache-2.0
// Large products with a long k, of few rows or few columns: a thread has all lines of the short side, and four
// neighbouring lines of the other. Groups of threads take turns with the numbers of k, and their sums are joined by
// halves. The same holds for the sums of a's rows, if they are wanted.
#pragma once

#include <cstdint>
#include <type_traits>

#include "engines/cuda/long_sums.hpp"
#include "engines/cuda/places.cuh"
#include "engines/cuda/products_lines.cuh"

namespace tenon::compiled::device {

inline constexpr int kFewLanes = 256;

__device__ inline int few_width(std::int64_t lines) {
    int width = 1;
    while (width < 16 && std::int64_t{width} * 4 < lines) {
        width *= 2;
    }
    return width;
}

static_assert(kFewLines == 4);  // so that a thread has as many rows of a, whichever side is the short one
struct FewSums {
    float x[kFewLines + 1][4];  // x[kFewLines]: the sums of rows of a, which are the short side or the neighbours
};

// Four numbers of neighbouring lines. Missing lines repeat others; their sums are not used.
template <bool kInFours>
__device__ inline Four four_of(const Lines& lines, const float* at, std::int64_t line) {
    if constexpr (kInFours) {
        return *reinterpret_cast<const Four*>(at + (line < lines.count ? line : 0));
    } else {
        Four out;
        TENON_UNROLL for (int j = 0; j < 4; ++j) {
            out.x[j] = at[(line + j < lines.count ? line + j : 0) * lines.line_step];
        }
        return out;
    }
}

// Adds every `apart`th number of k from `first` on, for four lines.
template <bool kInFours>
__device__ inline FewSums sums_of_few(const Lines& few, const Lines& many, std::int64_t line, std::int64_t first,
                                      std::int64_t end, int apart, bool few_rows) {
    constexpr int kAtOnce = kInFours ? 8 : 1;
    const float* y = few.at + first * few.step;
    const float* x = many.at + first * many.step;
    FewSums sums{};
    const auto add = [&]<int kCount>(std::integral_constant<int, kCount> /*numbers*/) {
        Four of_many[kCount];
        float of_few[kCount][kFewLines];
        TENON_UNROLL for (int i = 0; i < kCount; ++i) {
            of_many[i] = four_of<kInFours>(many, x, line);
            TENON_UNROLL for (int f = 0; f < kFewLines; ++f) {
                of_few[i][f] = f < few.count ? y[f * few.line_step] : 0.0F;
            }
            x += apart * many.step;
            y += apart * few.step;
        }
        TENON_UNROLL for (int i = 0; i < kCount; ++i) {
            TENON_UNROLL for (int f = 0; f < kFewLines; ++f) {
                TENON_UNROLL for (int j = 0; j < 4; ++j) {
                    sums.x[f][j] = fmaf(of_few[i][f], of_many[i].x[j], sums.x[f][j]);
                }
                sums.x[kFewLines][f] += few_rows ? of_few[i][f] : of_many[i].x[f];
            }
        }
    };
    auto left = first < end ? static_cast<int>(quotient(end - first + apart - 1, apart)) : 0;
    TENON_ROLLED for (; left >= kAtOnce; left -= kAtOnce) {
        add(std::integral_constant<int, kAtOnce>());
    }
    TENON_ROLLED for (; left > 0; --left) {
        add(std::integral_constant<int, 1>());
    }
    return sums;
}

__device__ inline void product_few(const ProductWork& work, Blocks blocks) {
    constexpr int kOfLane = (kFewLines + 1) * 4;  // sums
    __shared__ float shared[kOfLane][kFewLanes];
    const bool turned = work.m > kFewLines;  // few columns
    const std::int64_t few_count = turned ? work.n : work.m;
    const std::int64_t many_count = turned ? work.m : work.n;
    const int width = few_width(many_count);
    const int groups = kFewLanes / width;
    const std::int64_t tiles = count_of_parts(many_count, std::int64_t{width} * 4);
    const std::int64_t parts = count_of_parts(work.k, work.part);
    for (std::int64_t number = blocks.index; number < work.batch * tiles * parts; number += blocks.count) {
        const Cell of_part = cell_of(number, parts);
        const Cell of_tile = cell_of(of_part.row, tiles);
        const Lines few = lines_of(work, of_tile.row, turned);
        const Lines many = lines_of(work, of_tile.row, !turned);
        const std::int64_t first = of_part.column * work.part;
        const std::int64_t end = first + work.part < work.k ? first + work.part : work.k;
        const std::int64_t top = of_tile.column * width * 4;
        for (int lane = static_cast<int>(threadIdx.x); lane < kFewLanes; lane += static_cast<int>(blockDim.x)) {
            const std::int64_t line = top + std::int64_t{lane % width} * 4;
            const std::int64_t begin = first + lane / width;
            const FewSums sums = many.in_fours && !many.along_k
                                     ? sums_of_few<true>(few, many, line, begin, end, groups, !turned)
                                     : sums_of_few<false>(few, many, line, begin, end, groups, !turned);
            TENON_UNROLL for (int f = 0; f <= kFewLines; ++f) {
                TENON_UNROLL for (int j = 0; j < 4; ++j) {
                    shared[f * 4 + j][lane] = sums.x[f][j];
                }
            }
        }
        __syncthreads();
        const int joined = work.row_sums != nullptr ? kOfLane : kFewLines * 4;
        for (int half = kFewLanes / 2; half >= width; half /= 2) {
            for (int e = static_cast<int>(threadIdx.x); e < half * joined; e += static_cast<int>(blockDim.x)) {
                const int sum = e / half;
                shared[sum][e % half] += shared[sum][e % half + half];
            }
            __syncthreads();
        }
        const bool ones_too = work.row_sums != nullptr && turned;  // sums of a's rows, computed like a further column
        for (int e = static_cast<int>(threadIdx.x); e < kOfLane * width; e += static_cast<int>(blockDim.x)) {
            const int f = e / (width * 4);
            const int line = e % (width * 4);
            const bool is_inside = f < few_count || (f == kFewLines && ones_too);
            if (is_inside && top + line < many_count) {
                const std::int64_t of_few = f == kFewLines ? work.n : f;
                const Spot spot{of_tile.row, turned ? top + line : of_few, turned ? of_few : top + line};
                leave_part(work, parts, of_part.column, spot, shared[f * 4 + line % 4][line / 4]);
            }
        }
        const int row = static_cast<int>(threadIdx.x);
        if (work.row_sums != nullptr && !turned && of_tile.column == 0 && row < few_count) {
            leave_part(work, parts, of_part.column, {0, row, work.n}, shared[kFewLines * 4 + row][0]);
        }
        __syncthreads();
    }
}

}  // namespace tenon::compiled::device
