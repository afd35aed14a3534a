// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/next_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "compute/graph/dependence.hpp"
#include "engines/compiled/listing_passes.hpp"
#include "engines/compiled/loop.hpp"
#include "engines/compiled/lowering.hpp"

namespace tenon::compiled {
namespace {

constexpr Sizes kSizes{.rows = 0, .time = 1, .lanes = kRowsAtOnce};

}  // namespace

NextRows::NextRows(const Request& request, const NextValue& value)
    : learner_(request.learner), sizes_(request.sizes), inputs_(request.spec.inputs.size()) {
    for (const NextValue::Columns& ports : value.columns) {
        const std::size_t bytes = row_bytes(request.spec.inputs[ports.next]);
        columns_.push_back({ports, bytes, std::vector<std::byte>(bytes * static_cast<std::size_t>(kRowsAtOnce))});
    }
    waiting_.reserve(static_cast<std::size_t>(kRowsAtOnce));
}

Result<std::shared_ptr<NextRows>> NextRows::make(const Request& request, const UpdateGraph& update,
                                                 const NextValue& value) {
    std::shared_ptr<NextRows> out(new NextRows(request, value));
    const std::vector<bool> needed = graph::ancestors(update.graph, {value.next});
    Lowering lowering({.graph = update.graph,
                       .learner = request.learner,
                       .inputs = request.spec.inputs,
                       .seed = request.spec.seed,
                       .sizes = kSizes,
                       .needed = needed});
    for (graph::NodeId id = 1; id < needed.size(); ++id) {
        if (needed[id]) {
            TENON_TRY(lowering.add(id, 0));
        }
    }
    out->result_ = lowering.view(value.next);
    out->width_ = out->result_.count() / kRowsAtOnce;
    out->element_bytes_ = bytes_of(Kind::kReal, request.learner.real);
    const std::array<std::uint32_t, 1> pinned{out->result_.buffer};
    Listing listing = lowering.take();
    fold_constants(listing, request.learner.real, false);
    import_directly(listing, pinned);
    attach_tails(listing, request.learner.real, pinned);
    out->tape_ = TENON_TRY(Tape::make(std::move(listing), request.learner.real, pinned));
    return out;
}

void NextRows::run(const Call& call, const std::byte* now, std::byte* next) {
    std::ranges::copy(call.inputs, inputs_.begin());
    for (const Columns& each : columns_) {
        inputs_[each.ports.next] = each.rows.data();
    }
    const std::size_t bytes = static_cast<std::size_t>(width_) * element_bytes_;
    const std::int64_t rows = sizes_.time * sizes_.lanes;
    for (std::int64_t row = 0; row < rows; ++row) {
        if (is_a_step_later(call, row)) {
            std::memcpy(next + static_cast<std::size_t>(row) * bytes,
                        now + static_cast<std::size_t>(row + sizes_.lanes) * bytes, bytes);
            continue;
        }
        put_off(call, row);
        if (static_cast<std::int64_t>(waiting_.size()) == kRowsAtOnce) {
            compute(call, next);
        }
    }
    if (!waiting_.empty()) {
        compute(call, next);
    }
}

bool NextRows::is_a_step_later(const Call& call, std::int64_t row) const {
    const std::int64_t later = row + sizes_.lanes;
    return later < sizes_.time * sizes_.lanes &&
           std::ranges::all_of(
               columns_,
               [&](const Columns& each) {
                   const auto* next = static_cast<const std::byte*>(call.inputs[each.ports.next]);
                   const auto* now = static_cast<const std::byte*>(call.inputs[each.ports.now]);
                   return std::memcmp(next + static_cast<std::size_t>(row) * each.row_bytes,
                                      now + static_cast<std::size_t>(later) * each.row_bytes, each.row_bytes) == 0;
               });
}

void NextRows::put_off(const Call& call, std::int64_t row) {
    for (Columns& each : columns_) {
        const auto* next = static_cast<const std::byte*>(call.inputs[each.ports.next]);
        std::memcpy(each.rows.data() + waiting_.size() * each.row_bytes,
                    next + static_cast<std::size_t>(row) * each.row_bytes, each.row_bytes);
    }
    waiting_.push_back(row);
}

// The tape has a fixed number of rows. Rows after the waiting ones are left over from an earlier call; their results
// are computed but not read.
void NextRows::compute(const Call& call, std::byte* next) {
    Call some = call;
    some.sizes = kSizes;
    some.inputs = inputs_;
    tape_.begin(some, learner_);
    tape_.run_phase(0, some);
    const auto* from = static_cast<const std::byte*>(tape_.bases()[result_.buffer]);
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
        bring(result_, from, element_bytes_, static_cast<std::int64_t>(i) * width_, width_,
              next + static_cast<std::size_t>(waiting_[i] * width_) * element_bytes_);
    }
    waiting_.clear();
}

}  // namespace tenon::compiled
