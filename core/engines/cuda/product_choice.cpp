// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/product_choice.hpp"

#include <algorithm>

namespace tenon::compiled::device {
namespace {

struct Bound {
    Kernel kernel;
    std::int64_t blocks;  // that a unit runs at the same time
};

constexpr Bound kBounds[] = {
#define TENON_KERNEL(NAME, WORK, FUNCTION)
#define TENON_BOUND_KERNEL(NAME, WORK, FUNCTION, THREADS, BLOCKS) {Kernel::NAME, BLOCKS},
#include "engines/cuda/kernels.inc"
};

constexpr std::int64_t blocks_of_unit(Kernel kernel) {
    const auto* const bound = std::ranges::find(kBounds, kernel, &Bound::kernel);
    return bound == std::ranges::end(kBounds) ? 1 : bound->blocks;
}

struct TileSize {
    Kernel kernel;
    std::int64_t rows, columns;
    double least;  // the fewest tiles for each unit; with fewer, smaller tiles are faster, as measured on an H200
};

// The sizes of tiles of products_wide.cuh.
constexpr TileSize kTiles[] = {
    {Kernel::kProductWide, 128, 64, 3.5}, {Kernel::kProductTall, 128, 32, 3.5}, {Kernel::kProductLow, 64, 32, 0.33}};
constexpr std::int64_t kLeastRows = 32;
constexpr std::int64_t kMostNumber = INT32_MAX / 256;  // of rows, columns or tiles: kernels add to them in 32 bits

std::int64_t tiles_of(const ProductWork& work, std::int64_t rows, std::int64_t columns) {
    return work.batch * count_of_parts(work.m, rows) * count_of_parts(work.n, columns);
}

// Chooses at most as many blocks as run at the same time. Their number is a multiple of `across`, so that each block
// stays in the same columns.
ProductChoice in_tiles(Kernel kernel, std::int64_t tiles, std::int64_t across, std::int64_t units) {
    const std::int64_t most = std::max(units * blocks_of_unit(kernel) / across, std::int64_t{1}) * across;
    return {.kernel = kernel, .blocks = std::min(tiles, most)};
}

// Whether products_narrow.cuh supports it, which reads the left side four elements at a time.
bool is_narrow(const ProductWork& work) {
    constexpr std::int64_t kManyRows = 1024;
    constexpr std::int64_t kColumns = 4;
    constexpr std::int64_t kDepth = 512;
    constexpr std::int64_t kFour = 4;
    return work.m >= kManyRows && work.n <= kColumns && work.k <= kDepth && work.a_strides[2] == 1 &&
           work.a_strides[1] % kFour == 0 && work.a_strides[0] % kFour == 0 &&
           reinterpret_cast<std::uintptr_t>(work.a) % (kFour * sizeof(float)) == 0;
}

}  // namespace

ProductChoice choose_product(const ProductWork& work, bool by_lanes, std::int64_t units) {
    // this and the next: rows of a block of products_narrow.cuh and of products.cuh
    constexpr std::int64_t kNarrowRows = 128;
    constexpr std::int64_t kLaneResults = 16;
    constexpr std::int64_t kFew = 16;  // this and the next: rows and columns of tiles of products_small.cuh
    constexpr std::int64_t kSome = 32;
    if (by_lanes) {
        return is_narrow(work) ? in_tiles(Kernel::kProductNarrow, count_of_parts(work.m, kNarrowRows), 1, units)
                               : ProductChoice{.kernel = Kernel::kProductByLanes,
                                               .blocks = count_of_parts(work.batch * work.m * work.n, kLaneResults)};
    }
    const bool fits = work.partial == nullptr && work.m >= kLeastRows &&
                      tiles_of(work, kTiles[2].rows, kTiles[2].columns) <= kMostNumber &&
                      std::max({work.m, work.n, work.k}) <= kMostNumber;
    for (const TileSize& size : kTiles) {
        const std::int64_t tiles = tiles_of(work, size.rows, size.columns);
        const bool half_empty = size.kernel == Kernel::kProductWide && work.n <= size.columns / 2;
        if (fits && !half_empty && static_cast<double>(tiles) >= size.least * static_cast<double>(units)) {
            return in_tiles(size.kernel, tiles, count_of_parts(work.n, size.columns), units);
        }
    }
    const std::int64_t parts = work.partial == nullptr ? 1 : count_of_parts(work.k, work.part);
    const std::int64_t few = parts * tiles_of(work, kFew, kFew);
    return {.kernel = Kernel::kProduct, .blocks = few <= kTogether ? few : parts * tiles_of(work, kSome, kSome)};
}

}  // namespace tenon::compiled::device
