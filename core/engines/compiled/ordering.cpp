// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/ordering.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tenon::compiled {
namespace {

constexpr std::uint32_t kNoSlot = static_cast<std::uint32_t>(-1);

// A loop of at most so many elements waits until more operations can be fused with it. A larger one runs right after
// its inputs, while they are in the cache.
constexpr std::int64_t kSmall = 2048;

// Limits of searches, far beyond the programs of shipped plugins. Without them the time to order a program would be
// quadratic in its size.
constexpr std::size_t kMostMembers = 1024;  // operations of one loop
constexpr std::size_t kMostLater = 4096;    // operations that wait for another one

bool is_same(const View& a, const View& b) {
    return a.buffer == b.buffer && a.offset == b.offset && a.shape == b.shape && a.strides == b.strides;
}

// Whether these are different columns of the same rows, so that they have no element in common.
bool are_apart(const View& a, const View& b) {
    return a.shape.size() == 1 && b.shape.size() == 1 && a.strides == b.strides && a.strides[0] > 1 &&
           (a.offset - b.offset) % a.strides[0] != 0;
}

Access access_of(const View& flat) {
    if (flat.shape.empty() || (flat.shape.size() == 1 && flat.strides[0] == 0)) {
        return Access::kSame;
    }
    return flat.shape.size() == 1 && flat.strides[0] == 1 ? Access::kDense : Access::kScattered;
}

class Order {
public:
    Order(const Listing& listing, DType real, std::span<const std::uint32_t> pinned)
        : listing_(listing),
          real_(real),
          before_(listing.ops.size()),
          waits_(listing.ops.size(), 0),
          then_(listing.ops.size()) {
        readers_.resize(listing.buffers.size());
        for (std::uint32_t i = 0; i < listing.ops.size(); ++i) {
            for (const View& view : listing.ops[i].in) {
                readers_[view.buffer].push_back(i);
            }
        }
        pinned_.assign(listing.buffers.size(), false);
        for (const std::uint32_t buffer : pinned) {
            pinned_[buffer] = true;
        }
    }

    std::vector<Instruction> plan() {
        find_dependences();
        std::uint32_t last = 0;
        for (const Op& op : listing_.ops) {
            last = std::max(last, op.phase);
        }
        for (std::uint32_t phase = 0; phase <= last; ++phase) {
            plan_phase(phase);
        }
        return std::move(out_);
    }

    std::optional<std::vector<Instruction>> plan_like(std::span<const Instruction> order) {
        for (const Instruction& each : order) {
            const auto* loop = std::get_if<Loop>(&each.what);
            if (loop == nullptr) {
                out_.push_back(each);
                continue;
            }
            const std::int64_t count = listing_.ops[loop->ops.front()].out.count();
            const bool fits =
                std::ranges::all_of(loop->ops, [&](std::uint32_t op) { return listing_.ops[op].out.count() == count; });
            if (!fits) {
                return std::nullopt;
            }
            out_.push_back({each.phase, make_loop(loop->ops, count)});
        }
        return std::move(out_);
    }

private:
    void find_dependences() {
        std::vector<std::vector<std::uint32_t>> writers(listing_.buffers.size());
        for (std::uint32_t i = 0; i < listing_.ops.size(); ++i) {
            const Op& op = listing_.ops[i];
            for (const View& view : op.in) {
                wait_for(i, writers[view.buffer]);
            }
            wait_for(i, writers[op.out.buffer]);
            if (overwrites(op)) {
                wait_for(i, readers_before(i, op.out.buffer));
            }
            writers[op.out.buffer].push_back(i);
        }
        for (auto i = static_cast<std::uint32_t>(listing_.ops.size()); i > 0; --i) {
            if (writers[listing_.ops[i - 1].out.buffer].size() == 1) {
                put_off(i - 1);
            }
        }
        for (std::uint32_t i = 0; i < listing_.ops.size(); ++i) {
            waits_[i] = before_[i].size();
            if (waits_[i] == 0) {
                ready_.push_back(i);
            }
        }
    }

    // Whether it may write memory that an operation before it reads: into a value, or into what a scan carries.
    [[nodiscard]] bool overwrites(const Op& op) const {
        return op.code == Code::kPut || listing_.buffers[op.out.buffer].segment == Segment::kStep;
    }

    [[nodiscard]] std::vector<std::uint32_t> readers_before(std::uint32_t op, std::uint32_t buffer) const {
        std::vector<std::uint32_t> out = readers_[buffer];
        std::erase_if(out, [&](std::uint32_t reader) { return reader >= op; });
        return out;
    }

    void wait_for(std::uint32_t op, const std::vector<std::uint32_t>& others) {
        std::vector<std::uint32_t>& list = before_[op];
        for (const std::uint32_t other : others) {
            const auto at = std::ranges::lower_bound(list, other);
            if (other != op && (at == list.end() || *at != other)) {
                list.insert(at, other);
                then_[other].push_back(op);
            }
        }
    }

    // An operation that reads one large value and whose result only loops read, for example the derivative of an
    // activation, waits until the first of these loops can run. The loop then computes it from the value, and its
    // result needs no memory until then.
    void put_off(std::uint32_t number) {
        const Op& op = listing_.ops[number];
        const std::vector<std::uint32_t>& readers = readers_[op.out.buffer];
        if (!is_elementwise(op.code) || pinned_[op.out.buffer] || readers.empty()) {
            return;
        }
        const std::int64_t count = op.out.count();
        const bool only_loops = std::ranges::all_of(readers, [&](std::uint32_t reader) {
            const Op& other = listing_.ops[reader];
            return is_elementwise(other.code) && other.phase == op.phase && other.out.count() == count;
        });
        std::uint32_t from = 0;
        for (const View& in : op.in) {
            if (listing_.buffers[in.buffer].size < count || in.buffer == from) {
                continue;
            }
            if (from != 0) {
                return;
            }
            from = in.buffer;
        }
        if (!only_loops) {
            return;
        }
        const std::optional<std::vector<bool>> later = that_wait_for(number);
        if (!later) {
            return;
        }
        std::vector<std::uint32_t> others = before_[readers.front()];
        std::erase_if(others, [&](std::uint32_t other) { return (*later)[other]; });
        wait_for(number, others);
    }

    // The operations that wait for it, directly or indirectly. Nothing if there are too many of them.
    [[nodiscard]] std::optional<std::vector<bool>> that_wait_for(std::uint32_t number) const {
        std::vector<bool> out(listing_.ops.size(), false);
        std::vector<std::uint32_t> open{number};
        for (std::size_t seen = 0; !open.empty(); ++seen) {
            if (seen == kMostLater) {
                return std::nullopt;
            }
            const std::uint32_t now = open.back();
            open.pop_back();
            for (const std::uint32_t next : then_[now]) {
                if (!out[next]) {
                    out[next] = true;
                    open.push_back(next);
                }
            }
        }
        return out;
    }

    void done(std::uint32_t op) {
        std::erase(ready_, op);
        for (const std::uint32_t next : then_[op]) {
            if (--waits_[next] == 0) {
                ready_.insert(std::ranges::lower_bound(ready_, next), next);
            }
        }
    }

    void plan_phase(std::uint32_t phase) {
        while (true) {
            const auto first =
                std::ranges::find_if(ready_, [&](std::uint32_t op) { return listing_.ops[op].phase == phase; });
            if (first == ready_.end()) {
                return;
            }
            const std::int64_t count = listing_.ops[*first].out.count();
            const auto alone = count > kSmall ? first : std::ranges::find_if(ready_, [&](std::uint32_t op) {
                return listing_.ops[op].phase == phase && !is_elementwise(listing_.ops[op].code);
            });
            if (alone == ready_.end() || is_elementwise(listing_.ops[*alone].code)) {
                plan_loop(phase, count);
                continue;
            }
            const std::uint32_t op = *alone;
            out_.push_back({phase, op});
            done(op);
        }
    }

    // Collects every operation of that size that can run now, and those that can run after others of the loop. A member
    // may read an element that an earlier member writes, because a loop computes all of an element's operations before
    // the next element. It may not read or write other elements of this memory.
    void plan_loop(std::uint32_t phase, std::int64_t count) {
        std::vector<std::uint32_t> members;
        std::vector<View> written;
        const auto fits = [&](std::uint32_t number) {
            const Op& op = listing_.ops[number];
            if (op.phase != phase || !is_elementwise(op.code) || op.out.count() != count) {
                return false;
            }
            const View out = flattened(op.out);
            for (const View& have : written) {
                if (have.buffer == out.buffer && !are_apart(have, out)) {
                    return false;
                }
                for (const View& in : op.in) {
                    if (in.buffer == have.buffer && !is_same(flattened(in), have)) {
                        return false;
                    }
                }
            }
            return true;
        };
        while (members.size() < kMostMembers) {
            const auto next = std::ranges::find_if(ready_, fits);
            if (next == ready_.end()) {
                break;
            }
            const std::uint32_t op = *next;
            members.push_back(op);
            written.push_back(flattened(listing_.ops[op].out));
            done(op);
        }
        out_.push_back({phase, make_loop(members, count)});
    }

    [[nodiscard]] std::uint8_t bytes(std::uint32_t buffer) const {
        return static_cast<std::uint8_t>(bytes_of(listing_.buffers[buffer].kind, real_));
    }

    Loop make_loop(const std::vector<std::uint32_t>& members, std::int64_t count) const {
        Loop loop{.count = count, .slots = 0, .loads = {}, .steps = {}, .stores = {}, .ops = members};
        std::vector<std::pair<View, std::uint32_t>> slots;  // by view
        const auto slot_of = [&](const View& view) {
            for (const auto& [have, slot] : slots) {
                if (is_same(have, view)) {
                    return slot;
                }
            }
            return kNoSlot;
        };
        for (const std::uint32_t member : members) {
            const Op& op = listing_.ops[member];
            Step step{.map = map_of(op, real_), .in = {}, .out = 0};
            for (std::size_t i = 0; i < op.in.size(); ++i) {
                const View view = flattened(op.in[i]);
                std::uint32_t slot = slot_of(view);
                if (slot == kNoSlot) {
                    slot = loop.slots++;
                    slots.emplace_back(view, slot);
                    const Buffer& buffer = listing_.buffers[view.buffer];
                    const bool is_ready = buffer.segment == Segment::kConstant && buffer.size == 1;
                    loop.loads.push_back({.view = view,
                                          .access = is_ready ? Access::kReady : access_of(view),
                                          .slot = slot,
                                          .bytes = bytes(view.buffer)});
                }
                step.in[i] = slot;
            }
            step.out = loop.slots++;
            const View out = flattened(op.out);
            slots.emplace_back(out, step.out);
            if (is_read_by_others(op.out.buffer, members)) {
                Access access = access_of(out);
                access = access == Access::kSame ? Access::kDense : access;  // a single element
                loop.stores.push_back({.view = out, .access = access, .slot = step.out, .bytes = bytes(out.buffer)});
            }
            loop.steps.push_back(step);
        }
        return loop;
    }

    [[nodiscard]] bool is_read_by_others(std::uint32_t buffer, const std::vector<std::uint32_t>& members) const {
        return pinned_[buffer] || listing_.buffers[buffer].segment != Segment::kScratch ||
               std::ranges::any_of(readers_[buffer], [&](std::uint32_t reader) {
                   return std::ranges::find(members, reader) == members.end();
               });
    }

    const Listing& listing_;
    DType real_;
    std::vector<std::vector<std::uint32_t>> before_;   // what it depends on
    std::vector<std::size_t> waits_;                   // how many of these have not run
    std::vector<std::vector<std::uint32_t>> then_;     // what depends on it
    std::vector<std::vector<std::uint32_t>> readers_;  // by buffer
    std::vector<bool> pinned_;
    std::vector<std::uint32_t> ready_;  // the operations that can run now, in the order of the listing
    std::vector<Instruction> out_;
};

}  // namespace

Kernels::Map map_of(const Op& op, DType real) {
    const auto code = static_cast<std::size_t>(op.code);
    const Kernels& all = kernels(real);
    return op.kind == Kind::kInt ? all.map_int[code] : op.kind == Kind::kBool ? all.map_bool[code] : all.map[code];
}

std::vector<Instruction> ordered(const Listing& listing, DType real, std::span<const std::uint32_t> pinned) {
    return Order(listing, real, pinned).plan();
}

std::optional<std::vector<Instruction>> ordered_like(std::span<const Instruction> order, const Listing& listing,
                                                     DType real, std::span<const std::uint32_t> pinned) {
    return Order(listing, real, pinned).plan_like(order);
}

}  // namespace tenon::compiled
