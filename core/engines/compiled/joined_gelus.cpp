// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <cstddef>
#include <numbers>
#include <vector>

#include "engines/compiled/buffer_uses.hpp"

namespace tenon::compiled {
namespace {

class Joining {
public:
    Joining(Listing& listing, DType real, std::span<const std::uint32_t> pinned)
        : listing_(listing), real_(real), uses_(listing, pinned) {}

    void join_all() {
        std::vector<bool> gone(listing_.ops.size(), false);
        for (Op& op : listing_.ops) {
            const Op* const half = factor(op, 0.5);
            const Op* const more = half == nullptr ? nullptr : made_by(op.in[1], Code::kAdd);
            const Op* const erf =
                more == nullptr || !is_all(more->in[0], 1) ? nullptr : made_by(more->in[1], Code::kErf);
            const Op* const scaled = erf == nullptr ? nullptr : made_by(erf->in[0], Code::kMul);
            if (scaled == nullptr || !is_all(scaled->in[0], 1 / std::numbers::sqrt2) ||
                !same(scaled->in[1], half->in[1])) {
                continue;
            }
            for (const Op* part : {half, more, erf, scaled}) {
                gone[uses_.writer[part->out.buffer]] = true;
            }
            op = {.code = Code::kGelu, .kind = Kind::kReal, .in = {half->in[1]}, .out = op.out, .phase = op.phase};
        }
        std::size_t number = 0;
        std::erase_if(listing_.ops, [&](const Op&) { return gone[number++]; });
    }

private:
    // The operation that makes the first input of a product of numbers, if it
    // multiplies by this number.
    [[nodiscard]] const Op* factor(const Op& op, double number) const {
        const bool multiplies = op.code == Code::kMul && op.kind == Kind::kReal;
        const Op* const out = multiplies ? made_by(op.in[0], Code::kMul) : nullptr;
        return out != nullptr && out->phase == op.phase && is_all(out->in[0], number) ? out : nullptr;
    }

    // The only operation that writes the view's buffer, if it has this code and
    // only this view reads it.
    [[nodiscard]] const Op* made_by(const View& view, Code code) const {
        if (!is_whole(listing_, view) || uses_.writers[view.buffer] != 1 || uses_.readers[view.buffer] != 1) {
            return nullptr;
        }
        const Op& op = listing_.ops[uses_.writer[view.buffer]];
        return op.code == code && op.kind == Kind::kReal && is_whole(listing_, op.out) && op.out.shape == view.shape
                   ? &op
                   : nullptr;
    }

    [[nodiscard]] bool is_all(const View& view, double value) const {
        return compiled::is_all(listing_, view, value, real_);
    }

    static bool same(const View& a, const View& b) {
        return a.buffer == b.buffer && a.offset == b.offset && a.shape == b.shape && a.strides == b.strides;
    }

    Listing& listing_;
    DType real_;
    BufferUses uses_;
};

}  // namespace

void join_gelus(Listing& listing, DType real, std::span<const std::uint32_t> pinned) {
    Joining(listing, real, pinned).join_all();
}

}  // namespace tenon::compiled
