// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engines/compiled/buffer_uses.hpp"

namespace tenon::compiled {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Found {
    std::size_t product = kNone;
    Tail tail = Tail::kNone;
    std::optional<View> with{};
};

class Attaching {
public:
    Attaching(Listing& listing, DType real, std::span<const std::uint32_t> pinned, RunsOn where)
        : listing_(listing), real_(real), where_(where), uses_(listing, pinned) {}

    void attach_all() {
        std::vector<bool> gone(listing_.ops.size(), false);
        for (std::size_t i = 0; i < listing_.ops.size(); ++i) {
            const std::optional<Found> found = found_at(listing_.ops[i]);
            if (!found || listing_.ops[found->product].phase != listing_.ops[i].phase) {
                continue;
            }
            Op product = listing_.ops[found->product];
            const View to = listing_.ops[i].out;
            product.out.buffer = to.buffer;
            product.tail = found->tail;
            if (found->with) {
                product.in.push_back(laid_as(*found->with, product.out));
                ++uses_.readers[found->with->buffer];
            }
            gone[found->product] = true;
            let_go(listing_.ops[i], gone);
            listing_.ops[i] = std::move(product);
            uses_.writer[to.buffer] = i;
        }
        std::size_t number = 0;
        std::erase_if(listing_.ops, [&](const Op&) { return gone[number++]; });
    }

private:
    [[nodiscard]] std::optional<Found> found_at(const Op& op) const {
        if (op.kind != Kind::kReal || !is_whole(listing_, op.out)) {
            return std::nullopt;
        }
        switch (op.code) {
            case Code::kRelu:
                return with_product({.tail = Tail::kRelu}, op.in[0]);
            case Code::kTanh:
                return where_ == RunsOn::kDevice ? with_product({.tail = Tail::kTanh}, op.in[0]) : std::nullopt;
            case Code::kWhere:
                return where_positive(op);
            case Code::kMul:
                return times_slope(op);
            default:
                return std::nullopt;
        }
    }

    // x where y > 0, else 0.
    [[nodiscard]] std::optional<Found> where_positive(const Op& op) const {
        const Op* mask = made_by(op.in[0], Code::kGt);
        if (mask == nullptr || mask->kind != Kind::kReal || !is_all(op.in[2], 0) || !is_all(mask->in[1], 0) ||
            !is_dense(mask->in[0])) {
            return std::nullopt;
        }
        return with_product({.tail = Tail::kWherePositive, .with = mask->in[0]}, op.in[1]);
    }

    // x times (1 - y times y).
    [[nodiscard]] std::optional<Found> times_slope(const Op& op) const {
        const Op* slope = made_by(op.in[1], Code::kSub);
        if (slope == nullptr || !is_all(slope->in[0], 1)) {
            return std::nullopt;
        }
        const Op* square = made_by(slope->in[1], Code::kMul);
        if (square == nullptr || !is_dense(square->in[0]) || !is_dense(square->in[1]) ||
            square->in[0].buffer != square->in[1].buffer || square->in[0].offset != square->in[1].offset) {
            return std::nullopt;
        }
        return with_product({.tail = Tail::kTanhSlope, .with = square->in[0]}, op.in[0]);
    }

    // `found`, if the view is the whole result of a product and has no other reader.
    [[nodiscard]] std::optional<Found> with_product(Found found, const View& view) const {
        const Op* product = made_by(view, Code::kProduct);
        if (product == nullptr || product->tail != Tail::kNone || !is_whole(listing_, product->out) ||
            uses_.readers[view.buffer] != 1) {
            return std::nullopt;
        }
        found.product = uses_.writer[view.buffer];
        return found;
    }

    // The only operation that writes the view's buffer, if it has this code and the view covers the whole buffer.
    [[nodiscard]] const Op* made_by(const View& view, Code code) const {
        if (!is_whole(listing_, view) || uses_.writers[view.buffer] != 1) {
            return nullptr;
        }
        const Op& op = listing_.ops[uses_.writer[view.buffer]];
        return op.code == code && is_whole(listing_, op.out) ? &op : nullptr;
    }

    [[nodiscard]] bool is_all(const View& view, double value) const {
        return compiled::is_all(listing_, view, value, real_);
    }

    static View laid_as(const View& view, const View& shape) {
        View out = dense_view(view.buffer, shape.shape);
        out.offset = view.offset;
        return out;
    }

    // Removes the operations whose results only this operation read.
    void let_go(const Op& op, std::vector<bool>& gone) {
        for (const View& view : op.in) {
            const std::size_t writer = uses_.writer[view.buffer];
            if (--uses_.readers[view.buffer] == 0 && uses_.writers[view.buffer] == 1 && !gone[writer]) {
                gone[writer] = true;
                let_go(listing_.ops[writer], gone);
            }
        }
    }

    Listing& listing_;
    DType real_;
    RunsOn where_;
    BufferUses uses_;
};

}  // namespace

void attach_tails(Listing& listing, DType real, std::span<const std::uint32_t> pinned, RunsOn where) {
    Attaching(listing, real, pinned, where).attach_all();
}

}  // namespace tenon::compiled
