// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/accesses.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "compute/parameters/squares.hpp"

namespace tenon::compiled::device {
namespace {

constexpr std::int64_t kSquareBytes = kSquareSums * sizeof(double);

Range dense(const void* at, std::int64_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    return {begin, begin + static_cast<std::uintptr_t>(bytes)};
}

// The range of addresses from the lowest to the highest element.
Range strided(const void* at, std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
              std::int64_t bytes) {
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const std::int64_t last = (std::max<std::int64_t>(sizes[d], 1) - 1) * strides[d];
        (last < 0 ? least : most) += last;
    }
    return dense(static_cast<const std::byte*>(at) + least * bytes, (most - least + 1) * bytes);
}

Range range_of(const Place& place, std::int64_t bytes) {
    const auto rank = static_cast<std::size_t>(place.shape.rank);
    return strided(place.at, std::span(place.shape.size, rank), std::span(place.strides.along, rank), bytes);
}

void add(Accesses& out, const LoopWork& work, std::span<const TableCopy> tables) {
    const std::vector<Place> places = entries_of(work.places, work.place_count, tables);
    const std::vector<LoopStep> steps = entries_of(work.steps, work.step_count, tables);
    out.known = !steps.empty() && places.size() == work.place_count;
    for (const LoopStep& step : steps) {
        if (out.known && step.op == kLoad) {
            out.reads.push_back(range_of(places[step.in[0]], step.bytes));
        } else if (out.known && step.op == kStore) {
            out.writes.push_back(range_of(places[step.in[1]], step.bytes));
        }
    }
}

void add(Accesses& out, const ProductWork& work, bool sums_parts) {
    constexpr std::int64_t kBytes = sizeof(float);
    const std::int64_t left[] = {work.batch, work.m, work.k};
    const std::int64_t right[] = {work.batch, work.k, work.n};
    const std::int64_t result[] = {work.batch, work.m, work.n};
    if (!sums_parts) {
        out.reads.push_back(strided(work.a, left, work.a_strides, kBytes));
        out.reads.push_back(strided(work.b, right, work.b_strides, kBytes));
    }
    if (work.bias != nullptr) {
        const std::int64_t sizes[] = {work.batch, work.n};
        const std::int64_t strides[] = {work.bias_stride, 1};
        out.reads.push_back(strided(work.bias, sizes, strides, kBytes));
    }
    if (work.with != nullptr) {
        const std::int64_t strides[] = {work.with_batch, work.with_row, 1};
        out.reads.push_back(strided(work.with, result, strides, kBytes));
    }
    if (work.partial != nullptr) {
        const std::int64_t parts = count_of_parts(work.k, work.part);
        (sums_parts ? out.reads : out.writes)
            .push_back(dense(work.partial, parts * work.batch * work.m * columns_of_part(work) * kBytes));
    }
    if (work.partial == nullptr || sums_parts) {
        const std::int64_t strides[] = {work.c_batch, work.c_row, 1};
        out.writes.push_back(strided(work.c, result, strides, kBytes));
    }
    if (work.row_sums != nullptr && sums_parts) {
        out.writes.push_back(dense(work.row_sums, work.m * kBytes));
    }
}

void add(Accesses& out, const ReduceWork& work) {
    out.reads.push_back(range_of(work.x, sizeof(float)));
    if (work.partial != nullptr) {
        const std::int64_t parts = count_of_parts(work.reduced, work.part);
        out.writes.push_back(dense(work.partial, parts * work.outputs * static_cast<std::int64_t>(sizeof(float))));
        return;
    }
    const auto kept = static_cast<std::size_t>(work.kept);
    out.writes.push_back(
        strided(work.out, std::span(work.x.shape.size, kept), std::span(work.out_strides.along, kept), sizeof(float)));
}

// The accesses of a work that has one element for each row.
void add(Accesses& out, const RowsWork& work, bool finds_index) {
    const auto rank = static_cast<std::size_t>(work.shape.rank);
    const std::span<const std::int64_t> sizes(work.shape.size, rank);
    const auto with_row = [&](const Strides& strides, std::int64_t count, std::int64_t step) {
        std::vector<std::int64_t> all(strides.along, strides.along + rank);
        std::vector<std::int64_t> of(sizes.begin(), sizes.end());
        all.push_back(step);
        of.push_back(count);
        return std::pair(of, all);
    };
    const auto [x_sizes, x_strides] = with_row(work.x_strides, work.n, work.x_step);
    const std::int64_t bytes = finds_index ? std::int64_t{sizeof(float)} : work.bytes;
    out.reads.push_back(strided(work.x, x_sizes, x_strides, bytes));
    if (!finds_index) {
        out.reads.push_back(
            strided(work.index, sizes, std::span(work.index_strides.along, rank), sizeof(std::int64_t)));
        out.marks.push_back(dense(work.fault, sizeof(std::uint32_t)));
    }
    out.writes.push_back(strided(work.out, sizes, std::span(work.out_strides.along, rank),
                                 finds_index ? std::int64_t{sizeof(std::int64_t)} : work.bytes));
}

void add(Accesses& out, const PatchWork& work, bool reads_images) {
    const std::int64_t pixels = work.images * work.height * work.width * work.channels;
    const std::int64_t window = std::int64_t{work.window_height} * work.window_width * work.channels;
    const std::int64_t windows = work.images * work.rows * work.columns * window;
    constexpr std::int64_t kBytes = sizeof(float);
    out.reads.push_back(dense(work.in, kBytes * (reads_images ? pixels : windows)));
    out.writes.push_back(dense(work.out, kBytes * (reads_images ? windows : pixels)));
}

void add(Accesses& out, const CopyWork& work, std::span<const TableCopy> tables) {
    const std::vector<CopyItem> items = entries_of(work.items, work.count, tables);
    out.known = items.size() == work.count;
    for (const CopyItem& item : items) {
        if (item.from.at != nullptr) {
            out.reads.push_back(range_of(item.from, item.bytes));
        }
        // A copy to memory that only the host reads has a separate part of this memory in each run.
        const std::int64_t bytes = item.widens != 0 ? std::int64_t{sizeof(double)} : item.bytes;
        out.writes.push_back(dense(item.to, item.count * bytes));
        if (item.adds != 0) {
            out.reads.push_back(out.writes.back());
        }
    }
}

void add(Accesses& out, const NormWork& work) {
    for (std::int32_t i = 0; i < work.count; ++i) {
        out.reads.push_back(work.sums[i] == nullptr
                                ? dense(work.gradients[i], work.sizes[i] * static_cast<std::int64_t>(sizeof(float)))
                                : dense(work.sums[i], work.sizes[i] * kSquareBytes));
    }
    out.writes.push_back(dense(work.norm, sizeof(double)));
}

// `states`: the optimiser's state, with the layout of the values.
void add(Accesses& out, const Stepping& work, std::initializer_list<float*> states) {
    const auto slab = [&](const float* at) { return dense(at, work.count * static_cast<std::int64_t>(sizeof(float))); };
    out.reads.push_back(dense(work.norm, sizeof(double)));
    out.writes.push_back(slab(work.value));
    out.writes.push_back(slab(work.gradient));
    for (const float* const state : states) {
        if (state != nullptr) {
            out.writes.push_back(slab(state));
        }
    }
}

void add(Accesses& out, const LambWork& work) {
    add(out, work.of, {work.moment1, work.moment2});
    out.writes.push_back(dense(work.rates, work.tensor_count * static_cast<std::int64_t>(sizeof(float))));
}

void add(Accesses& out, const FollowWork& work) {
    const std::int64_t bytes = work.count * static_cast<std::int64_t>(sizeof(float));
    out.reads = {dense(work.norm, sizeof(double)), dense(work.live, bytes)};
    out.writes = {dense(work.follower, bytes)};
}

void add(Accesses& out, const ImportWork& work) {
    const std::int64_t from = work.stored == Stored::kByte                                 ? 1
                              : work.stored == Stored::kF64 || work.stored == Stored::kI64 ? 8
                                                                                           : 4;
    const std::int64_t to = work.wanted == Wanted::kReal ? 4 : work.wanted == Wanted::kInt ? 8 : 1;
    out.reads.push_back(dense(work.from, work.count * from));
    out.writes.push_back(dense(work.to, work.count * to));
}

bool overlap(const std::vector<Range>& some, const std::vector<Range>& others) {
    return std::ranges::any_of(some, [&](const Range& one) {
        return std::ranges::any_of(others,
                                   [&](const Range& other) { return one.begin < other.end && other.begin < one.end; });
    });
}

}  // namespace

Accesses accesses_of(const RunStep& step, std::span<const TableCopy> tables) {
    Accesses out;
    switch (step.kernel) {
        case Kernel::kLoop:
            add(out, work_of<LoopWork>(step), tables);
            break;
        case Kernel::kProduct:
        case Kernel::kProductByLanes:
        case Kernel::kProductLong:
        case Kernel::kProductFew:
        case Kernel::kAddParts:
            add(out, work_of<ProductWork>(step), step.kernel == Kernel::kAddParts);
            break;
        case Kernel::kReduce:
        case Kernel::kReduceParts:
        case Kernel::kReduceRuns:
            add(out, work_of<ReduceWork>(step));
            break;
        case Kernel::kPatches:
        case Kernel::kUnpatch:
            add(out, work_of<PatchWork>(step), step.kernel == Kernel::kPatches);
            break;
        case Kernel::kCopy:
            add(out, work_of<CopyWork>(step), tables);
            break;
        case Kernel::kSquares: {
            const auto work = work_of<SquaresWork>(step);
            out.reads.push_back(dense(work.values, work.count * static_cast<std::int64_t>(sizeof(float))));
            out.writes.push_back(dense(work.sums, count_of_parts(work.count, work.part) * kSquareBytes));
            break;
        }
        case Kernel::kNorm:
            add(out, work_of<NormWork>(step));
            break;
        case Kernel::kAdam: {
            const auto work = work_of<AdamWork>(step);
            add(out, work.of, {work.moment1, work.moment2});
            break;
        }
        case Kernel::kSgd: {
            const auto work = work_of<SgdWork>(step);
            add(out, work.of, {work.momentum});
            break;
        }
        case Kernel::kRmsprop: {
            const auto work = work_of<RmspropWork>(step);
            add(out, work.of, {work.square, work.mean, work.momentum});
            break;
        }
        case Kernel::kLambMove:
        case Kernel::kLambRates:
        case Kernel::kLambValues:
            add(out, work_of<LambWork>(step));
            break;
        case Kernel::kFollow:
            add(out, work_of<FollowWork>(step));
            break;
        case Kernel::kDraw: {
            const auto work = work_of<DrawWork>(step);
            out.writes.push_back(dense(work.out, work.count * static_cast<std::int64_t>(sizeof(float))));
            break;
        }
        case Kernel::kArgmax:
        case Kernel::kGather:
            add(out, work_of<RowsWork>(step), step.kernel == Kernel::kArgmax);
            break;
        case Kernel::kImport:
            add(out, work_of<ImportWork>(step));
            break;
        default:  // orderings, recurrences
            out.known = false;
    }
    return out;
}

bool must_wait(const Accesses& later, const Accesses& earlier) {
    return !later.known || !earlier.known || overlap(later.reads, earlier.writes) ||
           overlap(later.writes, earlier.writes) || overlap(later.writes, earlier.reads) ||
           overlap(later.reads, earlier.marks) || overlap(later.marks, earlier.reads) ||
           overlap(later.writes, earlier.marks) || overlap(later.marks, earlier.writes);
}

}  // namespace tenon::compiled::device
