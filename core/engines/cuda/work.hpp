// SPDX-License-Identifier: Apache-2.0
// The kernels of updates and their arguments: plain data, the same for the host and for nvcc. Every address is one of
// the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd/steps.hpp"
#include "engines/cuda/optimiser_works.hpp"

namespace tenon::compiled::device {

inline constexpr int kMostDims = 8;
inline constexpr int kMostSlots = 64;    // values of a loop that are alive at the same time
inline constexpr int kMostNetworks = 8;  // of a stage
inline constexpr int kMostWords = 64;    // words that a launch can write
inline constexpr int kTogether = 16;     // blocks of a run

enum class Kernel : std::uint8_t {
#define TENON_KERNEL(NAME, WORK, FUNCTION) NAME,
#include "engines/cuda/kernels.inc"
    kRun,
    kCount
};

// Whether the kernel computes products of many rows.
constexpr bool is_wide(Kernel kernel) {
    return kernel == Kernel::kProductWide || kernel == Kernel::kProductTall || kernel == Kernel::kProductLow ||
           kernel == Kernel::kProductNarrow;
}

// Sizes, and the distance between elements along each of them.
struct Strides {
    std::int64_t along[kMostDims];
};

struct Shape {
    std::int32_t rank;
    std::int64_t size[kMostDims];
};

// The elements of a shape in memory.
struct Place {
    void* at;  // the first element
    Shape shape;
    Strides strides;
};

// A step of a loop: the operation `op` of slots into a slot (loop_op), or one of these: slot `out` = element of
// places[in[0]], and element of places[in[1]] = slot in[0].
inline constexpr std::uint16_t kLoad = 0xFFFE;
inline constexpr std::uint16_t kStore = 0xFFFF;

struct LoopStep {
    std::uint16_t op;
    std::uint16_t bytes;  // of an element that is loaded or stored
    std::uint16_t in[3];
    std::uint16_t out;
};

struct LoopWork {
    std::int64_t count;
    const Place* places;
    const LoopStep* steps;
    std::uint32_t place_count;
    std::uint32_t step_count;
    std::uint32_t first_loads;  // how many of the first steps are loads
};

// A product, as in Product of kernels/kernels.hpp.
struct ProductWork {
    std::int64_t batch, m, n, k;
    const float* a;
    std::int64_t a_strides[3];
    const float* b;
    std::int64_t b_strides[3];
    const float* bias;  // null: none
    std::int64_t bias_stride;
    float* c;
    std::int64_t c_batch, c_row;
    std::int32_t tail;
    const float* with;
    std::int64_t with_batch, with_row;
    std::int64_t part;  // of k, if it is cut into parts
    float* partial;     // their sums: [part, batch, m, n]; null: it is not cut
    // The sums over k of a's rows, which are one more column of each part; null: not wanted. Only for a large product
    // that is cut and has one batch.
    float* row_sums;
};

// The number of columns of a part's sums.
constexpr std::int64_t columns_of_part(const ProductWork& work) {
    return work.n + (work.row_sums != nullptr ? 1 : 0);
}

// The number of parts into which something of this length is cut.
constexpr std::int64_t count_of_parts(std::int64_t length, std::int64_t part) {
    return (length + part - 1) / part;
}

enum class Joining : std::int32_t { kSum, kMax, kMin };

// A reduction: the dimensions from `kept` on become one value for each place of the others.
struct ReduceWork {
    Place x;
    std::int32_t kept;
    Joining joining;
    float* out;
    Strides out_strides;
    std::int64_t outputs;
    std::int64_t reduced;     // elements of each
    std::int64_t part;        // of them, if they are cut into parts
    float* partial;           // the results of the parts: [part, output]; null: it is not cut
    std::int32_t from_parts;  // 1: x has the results of parts
    std::int32_t width;       // of kReduceParts: lanes next to each other, a power of two
};

// A work with one value or row for each place of a shape.
struct RowsWork {
    Shape shape;
    std::int64_t rows;
    const void* x;
    Strides x_strides;
    const std::int64_t* index;
    Strides index_strides;
    void* out;
    Strides out_strides;
    std::int64_t n;      // elements of a row of x (of the result, for put_along and put_row)
    std::int64_t given;  // put_along: elements of a row of x
    std::int64_t x_step, index_step, out_step;
    std::int32_t bytes;
    std::int32_t number;
    std::uint32_t* fault;  // becomes 1 if an index is out of range
};

// Images [images, height, width, channels], and windows of them: [images, rows * columns, window]. kPatches reads
// images, kUnpatch windows.
struct PatchWork {
    const float* in;
    float* out;
    std::int64_t images, height, width, channels;
    std::int64_t rows, columns;
    std::int32_t window_height, window_width, stride, padding;
    float fill;  // of the padding
    std::int32_t unused;
};

enum class Recurrence : std::int32_t { kLinear, kGae, kTdLambda, kRewardToGo, kVtrace };

// A recurrence over time, in dense memory [outer, steps, inner]. Of a linear one, `value` is the decay and `reward` is
// x. The results overlap no input.
struct ScanWork {
    Recurrence what;
    std::int32_t reverse;  // of a linear recurrence; the others go backwards
    simd::Extents extents;
    simd::Steps<float> in;  // without gamma and lambda
    const float* gamma;
    const float* lambda;
    float* out;
    float* sums;  // the sum of each result and its value; null: not wanted
};

// The numbers of a call that random nodes read.
struct DrawNumbers {
    std::uint64_t counter;
    std::uint64_t first_row;
};

// A random node, as graph::Draw, for all members and steps.
struct DrawWork {
    float* out;
    std::int64_t count;
    std::uint64_t seed;
    std::uint64_t stream;
    std::uint64_t rows;
    std::uint64_t width;
    std::uint64_t steps;
    std::int32_t normal;
    std::int32_t by_row;
    const DrawNumbers* numbers;
};

// A word that a launch writes to the device.
struct PutWord {
    std::uint64_t* to;
    std::uint64_t value;
};

struct PutWork {
    std::uint32_t count;
    PutWord words[kMostWords];
};

enum class Stored : std::int32_t { kF32, kF64, kI64, kI32, kByte };
enum class Wanted : std::int32_t { kReal, kInt, kBool };

struct ImportWork {
    const void* from;
    void* to;
    std::int64_t count;
    Stored stored;
    Wanted wanted;
};

// Copies elements to dense memory: unchanged, added as floats, or converted from floats to doubles. Without a source
// address it writes zeros.
struct CopyItem {
    Place from;
    void* to;
    std::int64_t count;
    std::int32_t bytes;  // of an element that is read
    std::int32_t adds;
    std::int32_t widens = 0;
};

struct CopyWork {
    const CopyItem* items;
    std::uint32_t count;
    std::int64_t longest;        // elements of one item
    const std::uint64_t* place;  // null: 0. Every item is written this number times `apart` bytes further
    std::int64_t apart;
};

// The squares of a large gradient, one block for each part.
struct SquaresWork {
    const float* values;
    std::int64_t count;
    std::int64_t part;
    double* sums;  // [part, kSquareSums]
};

// The joint norm of the scaled gradients.
struct NormWork {
    const float* gradients[kMostNetworks];
    const double* sums[kMostNetworks];  // the sums of the parts of a large one, from SquaresWork; otherwise null
    std::int64_t sizes[kMostNetworks];  // elements, or parts
    std::int32_t count;
    double* norm;
};

struct ScaleWork {
    float* values;
    std::int64_t count;
    float factor;
};

// If the norm is finite, moves the first `soft` elements by a weight and copies the others.
struct FollowWork {
    float* follower;
    const float* live;
    std::int64_t soft;
    std::int64_t count;
    const float* weight;
    const double* norm;
};

inline constexpr std::size_t kWorkBytes = 448;  // of the largest work

// One work of a launch.
struct RunStep {
    Kernel kernel;
    std::uint8_t others_wait;  // 1: later works must wait for it, or for earlier ones
    std::uint8_t first_block;  // the block with which it begins; works of one level begin with different blocks
    std::uint8_t blocks_used;  // at most
    alignas(8) unsigned char work[kWorkBytes];
};

struct RunWork {
    const RunStep* steps;
    std::uint32_t count;
    std::uint32_t word_count;
    std::uint64_t* times;       // ns at the beginning and after each step; null: not measured
    PutWord words[kMostWords];  // written before the first step
};

#define TENON_KERNEL(NAME, WORK, FUNCTION) static_assert(sizeof(WORK) <= kWorkBytes);
#define TENON_LARGE_KERNEL(NAME, WORK, FUNCTION)
#include "engines/cuda/kernels.inc"

}  // namespace tenon::compiled::device
