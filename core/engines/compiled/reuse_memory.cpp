// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/listing_passes.hpp"

#include <algorithm>
#include <cstddef>

namespace tenon::compiled {
namespace {

class Reuse {
public:
    Reuse(Listing& listing, std::span<const std::uint32_t> pinned) : listing_(listing), pinned_(pinned) {}

    // From the last operation to the first, so that operations only move past those that are settled.
    void run() {
        for (std::size_t i = listing_.ops.size(); i > 1; --i) {
            if (i <= listing_.ops.size() && listing_.ops[i - 1].code == Code::kPut) {
                write_in_place(i - 1);
            }
        }
        for (std::size_t i = listing_.ops.size(); i > 0; --i) {
            if (i <= listing_.ops.size()) {
                carry_in_place(i - 1);
            }
        }
    }

private:
    [[nodiscard]] bool reads(const Op& op, std::uint32_t buffer) const {
        return std::ranges::find(op.in, buffer, &View::buffer) != op.in.end();
    }
    // Whether an operation from number `first` on, before `end`, reads or writes the buffer.
    [[nodiscard]] bool is_used(std::uint32_t buffer, std::size_t first, std::size_t end) const {
        return std::any_of(listing_.ops.begin() + static_cast<std::ptrdiff_t>(first),
                           listing_.ops.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](const Op& op) { return op.out.buffer == buffer || reads(op, buffer); });
    }
    [[nodiscard]] bool is_own(std::uint32_t buffer) const {
        return listing_.buffers[buffer].segment == Segment::kScratch &&
               std::ranges::find(pinned_, buffer) == pinned_.end();
    }
    // Whether the operation copies all of a buffer to another one, in its order.
    [[nodiscard]] bool copies_whole(const Op& op) const {
        const auto whole = [&](const View& view) {
            return view.offset == 0 && is_dense(view) && listing_.buffers[view.buffer].size == view.count();
        };
        return op.code == Code::kCopy && whole(op.in[0]) && whole(op.out) && op.in[0].buffer != op.out.buffer;
    }

    void rename(std::uint32_t from, std::uint32_t to) {
        for (Op& op : listing_.ops) {
            for (View& view : op.in) {
                view.buffer = view.buffer == from ? to : view.buffer;
            }
            op.out.buffer = op.out.buffer == from ? to : op.out.buffer;
        }
    }
    void drop(std::size_t number) { listing_.ops.erase(listing_.ops.begin() + static_cast<std::ptrdiff_t>(number)); }

    // Moves the copy and the operation that puts a row right before the first operation that reads the result or
    // changes what they read, so that others may read the value before. Returns the new number of the put.
    std::size_t put_later(std::size_t put) {
        const Op copy = listing_.ops[put - 1];
        const Op row = listing_.ops[put];
        const auto depends = [&](const Op& op) {
            return op.out.buffer == row.out.buffer || reads(op, row.out.buffer) || reads(row, op.out.buffer) ||
                   reads(copy, op.out.buffer);
        };
        const auto begin = listing_.ops.begin() + static_cast<std::ptrdiff_t>(put);
        const auto first = std::find_if(begin + 1, listing_.ops.end(), depends);
        std::rotate(begin - 1, begin + 1, first);
        return static_cast<std::size_t>(first - listing_.ops.begin()) - 1;
    }

    void write_in_place(std::size_t put) {
        const Op& copy = listing_.ops[put - 1];
        if (!copies_whole(copy) || copy.out.buffer != listing_.ops[put].out.buffer) {
            return;
        }
        const std::size_t now = put_later(put);
        const std::uint32_t value = listing_.ops[now - 1].in[0].buffer;
        if (is_own(value) && !is_used(value, now, listing_.ops.size())) {
            rename(value, listing_.ops[now].out.buffer);
            drop(now - 1);
        }
    }

    // A value of the scan is copied, changed and copied back, and the last copy ends the step.
    void carry_in_place(std::size_t last) {
        const Op& back = listing_.ops[last];
        const std::uint32_t carried = back.out.buffer;
        if (!copies_whole(back) || listing_.buffers[carried].segment != Segment::kStep || !is_own(back.in[0].buffer)) {
            return;
        }
        const std::uint32_t changed = back.in[0].buffer;
        const auto copy = std::ranges::find_if(listing_.ops, [&](const Op& op) {
            return copies_whole(op) && op.in[0].buffer == carried && op.out.buffer == changed;
        });
        if (copy == listing_.ops.end()) {
            return;
        }
        const auto first = static_cast<std::size_t>(copy - listing_.ops.begin());
        if (is_used(changed, 0, first) || is_used(carried, first + 1, last) ||
            is_used(carried, last + 1, listing_.ops.size())) {
            return;
        }
        rename(changed, carried);
        drop(last);
        drop(first);
    }

    Listing& listing_;
    std::span<const std::uint32_t> pinned_;
};

}  // namespace

void reuse_memory(Listing& listing, std::span<const std::uint32_t> pinned) {
    Reuse(listing, pinned).run();
}

}  // namespace tenon::compiled
