// SPDX-License-Identifier: Apache-2.0
// Sums and extremes: short ones in the order of the CPU's (kernels/reductions.inc), long ones as long_sums.hpp cuts
// them.
#pragma once

#include <cstdint>

#include "engines/cuda/long_sums.hpp"
#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

inline constexpr int kSide = 32;     // parallel sums of a run
inline constexpr int kChunk = 4096;  // elements of a run that they add before they are joined to one sum

// The better one of two numbers: the second if it is better or NaN; the first if it is NaN.
template <class T>
__device__ inline T joined(Joining joining, T a, T b) {
    if (joining == Joining::kSum) {
        return a + b;
    }
    const bool better = joining == Joining::kMax ? b > a : b < a;
    return a != a ? a : (b != b || better ? b : a);
}

__device__ inline void store_reduced(const ReduceWork& work, std::int64_t number, float total) {
    work.out[offset_of(work.x.shape, work.out_strides, 0, work.kept, number)] = total;
}

// Reduces elements that are `step` apart, one after the other. Those of a long sum are read in groups before they are
// added, because otherwise a thread would wait for each.
__device__ inline float reduced_along(Joining joining, const float* x, std::int64_t step, std::int64_t end) {
    constexpr int kAtOnce = 64;
    constexpr int kFew = 8;
    float total = x[0];
    std::int64_t from = 1;
    TENON_ROLLED for (; joining == Joining::kSum && end - from > kFew; from += kAtOnce) {
        const float* const some = x + from * step;
        const auto count = static_cast<int>(end - from < kAtOnce ? end - from : kAtOnce);
        float next[kAtOnce];
        TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
            next[i] = i < count ? some[i * step] : 0.0F;
        }
        TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
            total = i < count ? total + next[i] : total;
        }
    }
    for (; from < end; ++from) {
        total = joined(joining, total, x[from * step]);
    }
    return total;
}

__device__ inline float reduced_in_order(const ReduceWork& work, std::int64_t output) {
    const float* x =
        static_cast<const float*>(work.x.at) + offset_of(work.x.shape, work.x.strides, 0, work.kept, output);
    if (work.kept + 1 == work.x.shape.rank) {
        const std::int64_t step = work.x.strides.along[work.kept];
        return reduced_along(work.joining, x, step, work.reduced);
    }
    const auto at = [&](std::int64_t j) {
        return x[offset_of(work.x.shape, work.x.strides, work.kept, work.x.shape.rank, j)];
    };
    float total = at(0);
    for (std::int64_t j = 1; j < work.reduced; ++j) {
        total = joined(work.joining, total, at(j));
    }
    return total;
}

// One thread for each result.
__device__ inline void reduce(const ReduceWork& work, Blocks blocks) {
    for (std::int64_t i = first_of_thread(blocks); i < work.outputs; i += all_threads(blocks)) {
        store_reduced(work, i, reduced_in_order(work, i));
    }
}

// Reduces elements that are `step` apart.
__device__ inline float joined_every(Joining joining, const float* x, std::int64_t step, std::int64_t count) {
    constexpr int kAtOnce = 16;
    float total = joining == Joining::kSum ? 0.0F : x[0];
    std::int64_t j = 0;
    for (; j + kAtOnce <= count; j += kAtOnce) {
        float next[kAtOnce];
        TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
            next[i] = x[(j + i) * step];
        }
        TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
            total = joined(joining, total, next[i]);
        }
    }
    for (; j < count; ++j) {
        total = joined(joining, total, x[j * step]);
    }
    return total;
}

// Reduces every `apart`th element of a result, from `first` to before `end`.
__device__ inline float reduced_every(const ReduceWork& work, std::int64_t output, std::int64_t first, std::int64_t end,
                                      std::int64_t apart) {
    const float* x =
        static_cast<const float*>(work.x.at) + offset_of(work.x.shape, work.x.strides, 0, work.kept, output);
    if (work.kept + 1 == work.x.shape.rank) {
        const std::int64_t step = work.x.strides.along[work.kept];
        const std::int64_t count = quotient(end - first + apart - 1, apart);
        return work.joining == Joining::kSum ? joined_every(Joining::kSum, x + first * step, apart * step, count)
                                             : joined_every(work.joining, x + first * step, apart * step, count);
    }
    const auto at = [&](std::int64_t j) {
        return x[offset_of(work.x.shape, work.x.strides, work.kept, work.x.shape.rank, j)];
    };
    float total = at(first);
    for (std::int64_t j = first + apart; j < end; j += apart) {
        total = joined(work.joining, total, at(j));
    }
    return total;
}

// Rows of numbers that are reduced to one row.
struct Table {
    const float* at;
    std::int64_t columns;
    std::int64_t step;  // from row to row
};

// Reduces four neighbouring columns of every `apart`th row from `first` to before `end`. Missing columns repeat others;
// their sums are not used.
template <bool kInFours>
__device__ inline Four joined_rows(Joining joining, const Table& table, std::int64_t column, std::int64_t first,
                                   std::int64_t end, std::int64_t apart) {
    constexpr int kAtOnce = 8;
    const auto row_at = [&](std::int64_t row) {
        const float* const at = table.at + row * table.step + column;
        if constexpr (kInFours) {
            return *reinterpret_cast<const Four*>(at);
        } else {
            Four out;
            TENON_UNROLL for (int j = 0; j < 4; ++j) {
                out.x[j] = at[column + j < table.columns ? j : 0];
            }
            return out;
        }
    };
    Four total = row_at(first);
    const auto join = [&](const Four& next) {
        TENON_UNROLL for (int j = 0; j < 4; ++j) {
            total.x[j] = joined(joining, total.x[j], next.x[j]);
        }
    };
    std::int64_t row = first;
    for (; row + (kAtOnce - 1) * apart < end; row += kAtOnce * apart) {
        Four next[kAtOnce];
        TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
            next[i] = row_at(row + i * apart);
        }
        TENON_UNROLL for (int i = 0; i < kAtOnce; ++i) {
            if (i > 0 || row != first) {
                join(next[i]);
            }
        }
    }
    for (row = row == first ? row + apart : row; row < end; row += apart) {
        join(row_at(row));
    }
    return total;
}

// Adds the numbers of all groups of lanes to those of the first group, as a tree. Only the first `filled` groups have
// numbers.
__device__ inline void join_groups(Joining joining, float* values, int groups, int width, int filled) {
    for (int half = groups / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < half * width; i += static_cast<int>(blockDim.x)) {
            if (i / width + half < filled) {
                values[i] = joined(joining, values[i], values[i + half * width]);
            }
        }
        filled = filled < half ? filled : half;
    }
    __syncthreads();
}

// Reduces `width` times four columns from `left` on. The groups of lanes take turns with the rows from `first` to
// before `end`. The results are in `values`.
__device__ inline void join_table(Joining joining, const Table& table, int width, std::int64_t left, std::int64_t first,
                                  std::int64_t end, float* values) {
    const int groups = kReduceLanes / width;
    const bool in_fours = (reinterpret_cast<std::uintptr_t>(table.at) % sizeof(Four) == 0) && table.step % 4 == 0 &&
                          table.columns % 4 == 0;
    for (int lane = static_cast<int>(threadIdx.x); lane < kReduceLanes; lane += static_cast<int>(blockDim.x)) {
        const std::int64_t column = left + std::int64_t{lane % width} * 4;
        const std::int64_t row = first + lane / width;
        if (column < table.columns && row < end) {
            *reinterpret_cast<Four*>(values + std::int64_t{lane} * 4) =
                !in_fours                  ? joined_rows<false>(joining, table, column, row, end, groups)
                : joining == Joining::kSum ? joined_rows<true>(Joining::kSum, table, column, row, end, groups)
                                           : joined_rows<true>(joining, table, column, row, end, groups);
        }
    }
    join_groups(joining, values, groups, width * 4, static_cast<int>(end - first < groups ? end - first : groups));
}

// Whether results are adjacent, so that the elements form a table.
__device__ inline bool is_table(const ReduceWork& work) {
    return work.kept == 1 && work.x.shape.rank == 2 && work.x.strides.along[0] == 1;
}

// One block for each part of `width` results (four times as many if they are columns of a table), or for all of it. Its
// groups of lanes take turns with the elements of each result.
__device__ inline void reduce_parts(const ReduceWork& work, Blocks blocks) {
    static_assert(4 * kReduceLanes <= kSharedSums);
    float* const values = shared_sums();
    const int groups = kReduceLanes / work.width;
    const bool in_table = is_table(work);
    const Table table{static_cast<const float*>(work.x.at), work.outputs, work.x.strides.along[1]};
    const int width = in_table ? work.width * 4 : work.width;
    const std::int64_t part = work.partial == nullptr ? work.reduced : work.part;
    const std::int64_t parts = quotient(work.reduced + part - 1, part);
    const std::int64_t across = quotient(work.outputs + width - 1, width);
    for (std::int64_t number = blocks.index; number < across * parts; number += blocks.count) {
        const Cell of_part = cell_of(number, parts);
        const std::int64_t left = of_part.row * width;
        const std::int64_t first = of_part.column * part;
        const std::int64_t end = first + part < work.reduced ? first + part : work.reduced;
        if (in_table) {
            join_table(work.joining, table, work.width, left, first, end, values);
        } else {
            for (int lane = static_cast<int>(threadIdx.x); lane < kReduceLanes; lane += static_cast<int>(blockDim.x)) {
                const std::int64_t output = left + lane % width;
                const std::int64_t from = first + lane / width;
                if (output < work.outputs && from < end) {
                    values[lane] = reduced_every(work, output, from, end, groups);
                }
            }
            join_groups(work.joining, values, groups, width,
                        static_cast<int>(end - first < groups ? end - first : groups));
        }
        for (int i = static_cast<int>(threadIdx.x); i < width && left + i < work.outputs;
             i += static_cast<int>(blockDim.x)) {
            if (work.partial != nullptr) {
                work.partial[of_part.column * work.outputs + left + i] = values[i];
            } else {
                store_reduced(work, left + i, values[i]);
            }
        }
        __syncthreads();
    }
}

// The sum of a run, computed by all threads of a block: parallel sums of every chunk, which are then added in double.
__device__ inline double sum_of_run(const float* x, std::int64_t length) {
    constexpr int kChunks = 32;  // chunks at a time
    static_assert(kChunks * kSide <= kSharedSums);
    float* const parts = shared_sums();
    double total = 0;
    for (std::int64_t from = 0; from < length; from += std::int64_t{kChunks} * kChunk) {
        const std::int64_t left = (length - from + kChunk - 1) / kChunk;
        const int sums = static_cast<int>(left < kChunks ? left : kChunks) * kSide;
        for (int s = static_cast<int>(threadIdx.x); s < sums; s += static_cast<int>(blockDim.x)) {
            const std::int64_t begin = from + std::int64_t{s / kSide} * kChunk;
            const float* chunk = x + begin;
            const std::int64_t rest = length - begin;
            const int n = static_cast<int>(rest < kChunk ? rest : kChunk);
            parts[s] = joined_every(Joining::kSum, chunk + s % kSide, kSide, (n - s % kSide + kSide - 1) / kSide);
        }
        __syncthreads();
        for (int chunk = 0; threadIdx.x == 0 && chunk < sums; chunk += kSide) {
            for (int lane = 0; lane < kSide; ++lane) {
                total += static_cast<double>(parts[chunk + lane]);
            }
        }
        __syncthreads();
    }
    return total;
}

// One block for each result.
__device__ inline void reduce_runs(const ReduceWork& work, Blocks blocks) {
    const std::int32_t last = work.x.shape.rank - 1;
    const std::int64_t length = work.x.shape.size[last];
    const std::int64_t step = work.x.strides.along[last];
    const std::int64_t runs = quotient(work.reduced, length);
    const bool side_by_side = work.joining == Joining::kSum && step == 1 && length >= kSide;
    for (std::int64_t i = blocks.index; i < work.outputs; i += blocks.count) {
        const float* all =
            static_cast<const float*>(work.x.at) + offset_of(work.x.shape, work.x.strides, 0, work.kept, i);
        double total = 0;
        for (std::int64_t r = 0; r < runs; ++r) {
            const float* x = all + offset_of(work.x.shape, work.x.strides, work.kept, last, r);
            double part = work.joining == Joining::kSum ? 0.0 : static_cast<double>(x[0]);
            if (side_by_side) {
                part = sum_of_run(x, length);
            } else if (threadIdx.x == 0) {
                for (std::int64_t at = work.joining == Joining::kSum ? 0 : 1; at < length; ++at) {
                    part = joined(work.joining, part, static_cast<double>(x[at * step]));
                }
            }
            total = r == 0 ? part : joined(work.joining, total, part);
        }
        if (threadIdx.x == 0) {
            store_reduced(work, i, static_cast<float>(total));
        }
    }
}

}  // namespace tenon::compiled::device
