// SPDX-License-Identifier: Apache-2.0
// The works of products and reductions. Long sums are cut into parts, and a separate work adds the sums of the parts.
// Otherwise a thread that adds all rows of a large batch would keep the others waiting. The cut depends on the shape
// alone.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>

#include "engines/cuda/building.hpp"
#include "engines/cuda/long_sums.hpp"
#include "engines/cuda/product_choice.hpp"
#include "engines/cuda/shapes.hpp"

namespace tenon::compiled::device {
namespace {

// Sums of at most so many elements have the CPU's order, and so its bits.
constexpr std::int64_t kLong = 512;
constexpr std::int64_t kPart = 512;  // the least elements of a part of a product
constexpr std::int64_t kMostParts = 256;
constexpr std::int64_t kLongRun = 32'768;  // as kLong, if the elements are adjacent
constexpr std::uintptr_t kBeforePartial = 64;

// Whether the CPU adds up the elements of a product in lanes (kernels/products.inc).
bool adds_in_lanes(const ProductWork& work) {
    constexpr std::int64_t kFewRows = 3;
    constexpr std::int64_t kFewColumns = 4;
    constexpr std::int64_t kLanes = 16;
    const bool few_rows = work.m <= kFewRows && work.b_strides[2] != 1 && work.b_strides[1] == 1;
    return (work.n <= kFewColumns || few_rows) && work.k >= kLanes && work.a_strides[2] == 1;
}

// Whether the CPU adds the elements of a reduction one after the other (operations_reductions.cpp).
bool adds_in_order(const Op& op) {
    constexpr std::int64_t kShort = 16;
    const auto kept = static_cast<std::size_t>(op.number);
    const View& x = op.in[0];
    const bool by_columns = kept > 0 && x.strides[kept - 1] == 1 && op.out.strides[kept - 1] == 1;
    return by_columns || kept == x.shape.size() || (kept == 1 && x.shape.size() == 2 && x.shape[1] <= kShort);
}

// Sets the work that adds the parts of a product.
void tell_joining(Launch& launch, const ProductWork& work) {
    const std::int64_t sums = work.batch * work.m * columns_of_part(work);
    const std::int64_t parts = count_of_parts(work.k, work.part);
    launch.count = count_of_parts(sums, std::int64_t{joining_width(work)} * 4);
    launch.cost = sums * (parts * kStepCost + kElementCost);
    launch.work = work;
}

}  // namespace

ProductWork Building::product_of(const Op& op) const {
    const View& a = op.in[0];
    const View& b = op.in[1];
    const auto reals_at = [&](const View& view) { return reinterpret_cast<const float*>(start(view)); };
    ProductWork out{};
    out.batch = a.shape[0];
    out.m = a.shape[1];
    out.k = a.shape[2];
    out.n = b.shape[2];
    out.a = reals_at(a);
    out.b = reals_at(b);
    std::copy_n(a.strides.begin(), 3, out.a_strides);
    std::copy_n(b.strides.begin(), 3, out.b_strides);
    if (const View* bias = bias_of(op)) {
        out.bias = reals_at(*bias);
        out.bias_stride = bias->strides[0];
    }
    out.tail = static_cast<std::int32_t>(op.tail);
    if (const View* with = tail_input_of(op)) {
        out.with = reals_at(*with);
        out.with_batch = with->strides[0];
        out.with_row = with->strides[1];
    }
    out.c = reinterpret_cast<float*>(start(op.out));
    out.c_batch = op.out.strides[0];
    out.c_row = op.out.strides[1];
    return out;
}

ReduceWork Building::reduce_of(const Op& op) const {
    const View& x = op.in[0];
    const auto kept = static_cast<std::size_t>(op.number);
    const std::span<const std::int64_t> sizes(x.shape);
    return {.x = {.at = start(x), .shape = shape_from(sizes), .strides = strides_from(x.strides)},
            .kept = static_cast<std::int32_t>(kept),
            .joining = op.code == Code::kSum   ? Joining::kSum
                       : op.code == Code::kMax ? Joining::kMax
                                               : Joining::kMin,
            .out = reinterpret_cast<float*>(start(op.out)),
            .out_strides = strides_from(op.out.strides),
            .outputs = product_of_sizes(sizes.first(kept)),
            .reduced = product_of_sizes(sizes.subspan(kept)),
            .part = 0,
            .partial = nullptr,
            .from_parts = 0,
            .width = 1};
}

void Building::add_product(const Op& op, Launch launch) {
    ProductWork work = product_of(op);
    launch.cost = work.batch * work.m * work.n * (work.k + kElementCost);
    if (work.k > kLong && launch.cost > kSmallCost) {
        add_long_product(work, launch);
        return;
    }
    if (work.k > kLong) {
        work.part = count_of_parts(count_of_parts(work.k, kMostParts), kPart) * kPart;
        work.partial = partial_of(count_of_parts(work.k, work.part) * work.batch * work.m * work.n);
    }
    const bool by_lanes = work.partial == nullptr && adds_in_lanes(work);
    const ProductChoice choice = choose_product(work, by_lanes, out_.slabs_.device()->table.units);
    launch.by_block = true;
    launch.kernel = choice.kernel;
    launch.count = choice.blocks;
    launch.work = work;
    if (launch.count == 0) {
        return;
    }
    out_.launches_.push_back(launch);
    if (work.partial != nullptr) {
        add_parts(work, launch);
    }
}

// Adds the work that sums the parts, after the product.
void Building::add_parts(const ProductWork& work, Launch launch) {
    launch.by_block = true;
    launch.kernel = Kernel::kAddParts;
    tell_joining(launch, work);
    out_.launches_.push_back(launch);
}

// Which kernel computes it depends on the cost, and so on the shape alone: small products share a launch.
void Building::add_long_product(ProductWork work, Launch launch) {
    const bool few = work.m <= kFewLines ? work.b_strides[2] == 1 : work.n <= kFewLines && work.a_strides[1] == 1;
    const LongCut cut = cut_product(work.batch, work.m, work.n, work.k, few);
    work.part = cut.part;
    if (work.part < work.k) {
        work.partial = partial_of(count_of_parts(work.k, work.part) * work.batch * work.m * work.n);
    }
    launch.by_block = true;
    launch.kernel = few ? Kernel::kProductFew : Kernel::kProductLong;
    launch.count = cut.blocks;
    launch.work = work;
    out_.launches_.push_back(launch);
    if (work.partial != nullptr) {
        add_parts(work, launch);
    }
}

// Makes a reduction of the results of the parts, which have one dimension more than the result.
void Building::take_parts(ReduceWork& work, std::int64_t parts) {
    work.x.at = work.partial;
    work.x.shape.rank = work.kept + 1;
    work.x.shape.size[work.kept] = parts;
    std::int64_t step = 1;
    for (std::int32_t d = work.kept; d-- > 0; step *= work.x.shape.size[d]) {
        work.x.strides.along[d] = step;
    }
    work.x.strides.along[work.kept] = work.outputs;
    work.reduced = parts;
    work.partial = nullptr;
    work.from_parts = 1;
}

void Building::add_reduction(const Op& op, Launch launch) {
    constexpr std::int64_t kRun = 32;  // kSide of reductions.cuh
    ReduceWork work = reduce_of(op);
    const std::int32_t rank = work.x.shape.rank;
    const bool in_runs = rank > 0 && work.joining == Joining::kSum && work.x.strides.along[rank - 1] == 1 &&
                         work.x.shape.size[rank - 1] >= kRun;
    const bool in_order = adds_in_order(op);
    if (joins_product(work, launch)) {
        return;
    }
    launch.cost = work.outputs * (work.reduced * kElementCost + kResultCost);
    if (work.outputs == 0 || work.reduced == 0) {
        return;
    }
    if (work.reduced > kLong && (in_order || !in_runs || work.reduced > kLongRun) && work.kept < kMostDims) {
        add_long_reduction(work, launch);
        return;
    }
    launch.by_block = !in_order;
    launch.kernel = launch.by_block ? Kernel::kReduceRuns : Kernel::kReduce;
    launch.count = work.outputs;
    launch.work = work;
    out_.launches_.push_back(launch);
}

// Joins the sums of the rows of a product's first side, such as the gradient of a bias, to the product that comes just
// before, such as the gradient of its weights. The product reads that side anyway, so this saves a pass over memory.
// The sums are stored with the product's own, after everything has been read, so their memory may be that of a side.
bool Building::joins_product(const ReduceWork& work, const Launch& launch) {
    if (out_.launches_.size() < 2 || work.joining != Joining::kSum || work.x.shape.rank != work.kept + 1) {
        return false;
    }
    Launch& parts = out_.launches_.back();
    Launch& before = out_.launches_[out_.launches_.size() - 2];
    const bool follows = parts.kernel == Kernel::kAddParts &&
                         (before.kernel == Kernel::kProductLong || before.kernel == Kernel::kProductFew) &&
                         parts.instruction + 1 == launch.instruction && parts.phase == launch.phase;
    if (!follows) {
        return false;
    }
    auto& product = std::get<ProductWork>(before.work);
    const bool reads_a = work.x.at == product.a && work.outputs == product.m && work.reduced == product.k &&
                         work.x.strides.along[work.kept] == product.a_strides[2];
    const bool by_row = work.kept == 0 || (work.kept == 1 && work.x.strides.along[0] == product.a_strides[1] &&
                                           work.out_strides.along[0] == 1);
    // the CPU's order is kept for longer if the elements are a run; a tail's input may be in the memory of the sums
    const bool plain = product.batch == 1 && product.bias == nullptr && product.with == nullptr;
    if (!reads_a || !by_row || !plain || (product.a_strides[2] == 1 && product.m > 1)) {
        return false;
    }
    partial_end_ = reinterpret_cast<std::uintptr_t>(product.partial) - kBeforePartial;  // the newest is replaced
    product.row_sums = work.out;
    product.partial = partial_of(count_of_parts(product.k, product.part) * product.m * columns_of_part(product));
    tell_joining(parts, product);
    return true;
}

void Building::add_long_reduction(ReduceWork work, Launch launch) {
    const auto cut_it = [&] {
        const bool adjacent = work.kept > 0 && work.x.strides.along[work.kept - 1] == 1;
        const bool in_table = adjacent && work.kept == 1 && work.x.shape.rank == 2;  // is_table of reductions.cuh
        const ReduceCut cut =
            in_table ? cut_table(work.outputs, work.reduced) : cut_reduction(work.outputs, work.reduced, adjacent);
        work.width = cut.width;
        work.part = cut.part;
        launch.count = cut.blocks;
        launch.cost = work.outputs * work.reduced * kStepCost;  // adjacent elements are read together
    };
    launch.by_block = true;
    launch.kernel = Kernel::kReduceParts;
    cut_it();
    if (work.part < work.reduced) {
        const std::int64_t parts = count_of_parts(work.reduced, work.part);
        work.partial = partial_of(parts * work.outputs);
        launch.work = work;
        out_.launches_.push_back(launch);
        take_parts(work, parts);
        cut_it();
    }
    launch.work = work;
    out_.launches_.push_back(launch);
}

// Memory for so many sums of parts. Until place_partial its address is an offset after kBeforePartial, so that it is
// not null.
float* Building::partial_of(std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
    most_partial_ = std::max(most_partial_, bytes);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): see above
    return reinterpret_cast<float*>(kBeforePartial + take_lines(partial_end_, bytes));
}

Status Building::place_partial() {
    if (partial_end_ == 0) {
        return {};
    }
    const bool shared = partial_end_ > kSmallScratch;
    out_.partial_ = TENON_TRY(Block::make(out_.slabs_.device(), shared ? most_partial_ : partial_end_));
    const auto place = [&](const void* offset) {
        return reinterpret_cast<float*>(out_.partial_.memory() +
                                        (shared ? 0 : reinterpret_cast<std::uintptr_t>(offset) - kBeforePartial));
    };
    for (Launch& launch : out_.launches_) {
        if (auto* product = std::get_if<ProductWork>(&launch.work); product != nullptr && product->partial != nullptr) {
            product->partial = place(product->partial);
        }
        auto* const reduce = std::get_if<ReduceWork>(&launch.work);
        if (reduce != nullptr && reduce->partial != nullptr) {
            reduce->partial = place(reduce->partial);
        }
        if (reduce != nullptr && reduce->from_parts != 0) {
            reduce->x.at = place(reduce->x.at);
        }
    }
    return {};
}

}  // namespace tenon::compiled::device
