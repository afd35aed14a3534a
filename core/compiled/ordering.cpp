// SPDX-License-Identifier: Apache-2.0
#include "compiled/ordering.hpp"

#include <algorithm>
#include <utility>

namespace tenon::compiled {
namespace {

constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

bool is_same(const View& a, const View& b) {
    return a.buffer == b.buffer && a.offset == b.offset && a.shape == b.shape && a.strides == b.strides;
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
        : listing_(listing), real_(real), waits_(listing.ops.size(), 0), then_(listing.ops.size()) {
        readers_.resize(listing.buffers.size());
        pinned_.assign(listing.buffers.size(), false);
        for (const std::uint32_t buffer : pinned) {
            pinned_[buffer] = true;
        }
        find_dependences();
    }

    std::vector<Instruction> plan() {
        std::uint32_t last = 0;
        for (const Op& op : listing_.ops) {
            last = std::max(last, op.phase);
        }
        for (std::uint32_t phase = 0; phase <= last; ++phase) {
            plan_phase(phase);
        }
        return std::move(out_);
    }

private:
    void find_dependences() {
        std::vector<std::vector<std::uint32_t>> writers(listing_.buffers.size());
        for (std::uint32_t i = 0; i < listing_.ops.size(); ++i) {
            const Op& op = listing_.ops[i];
            std::vector<std::uint32_t> before;
            for (const View& view : op.in) {
                before.insert(before.end(), writers[view.buffer].begin(), writers[view.buffer].end());
                readers_[view.buffer].push_back(i);
            }
            const auto& same = writers[op.out.buffer];
            before.insert(before.end(), same.begin(), same.end());
            std::ranges::sort(before);
            const auto repeated = std::ranges::unique(before);
            before.erase(repeated.begin(), repeated.end());
            for (const std::uint32_t earlier : before) {
                then_[earlier].push_back(i);
                ++waits_[i];
            }
            writers[op.out.buffer].push_back(i);
        }
        for (std::uint32_t i = 0; i < listing_.ops.size(); ++i) {
            if (waits_[i] == 0) {
                ready_.push_back(i);
            }
        }
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
            const auto ready = std::ranges::find_if(ready_, [&](std::uint32_t op) {
                return listing_.ops[op].phase == phase && !is_elementwise(listing_.ops[op].code);
            });
            if (ready != ready_.end()) {
                const std::uint32_t op = *ready;
                out_.push_back({phase, op});
                done(op);
                continue;
            }
            const auto first =
                std::ranges::find_if(ready_, [&](std::uint32_t op) { return listing_.ops[op].phase == phase; });
            if (first == ready_.end()) {
                return;
            }
            plan_loop(phase, listing_.ops[*first].out.count());
        }
    }

    // Whatever is of that size and can run now, or once what is in the loop has run.
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
                if (have.buffer == out.buffer) {
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
        while (true) {
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

    [[nodiscard]] Kernels::Map map_of(const Op& op) const {
        const auto code = static_cast<std::size_t>(op.code);
        const Kernels& all = kernels(real_);
        return op.kind == Kind::kInt ? all.map_int[code] : op.kind == Kind::kBool ? all.map_bool[code] : all.map[code];
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
            return kNone;
        };
        for (const std::uint32_t member : members) {
            const Op& op = listing_.ops[member];
            Step step{.map = map_of(op), .in = {}, .out = 0};
            for (std::size_t i = 0; i < op.in.size(); ++i) {
                const View view = flattened(op.in[i]);
                std::uint32_t slot = slot_of(view);
                if (slot == kNone) {
                    slot = loop.slots++;
                    slots.emplace_back(view, slot);
                    loop.loads.push_back(
                        {.view = view, .access = access_of(view), .slot = slot, .bytes = bytes(view.buffer)});
                }
                step.in[i] = slot;
            }
            step.out = loop.slots++;
            const View out = flattened(op.out);
            slots.emplace_back(out, step.out);
            if (is_read_elsewhere(op.out.buffer, members)) {
                Access access = access_of(out);
                access = access == Access::kSame ? Access::kDense : access;  // one element
                loop.stores.push_back({.view = out, .access = access, .slot = step.out, .bytes = bytes(out.buffer)});
            }
            loop.steps.push_back(step);
        }
        return loop;
    }

    [[nodiscard]] bool is_read_elsewhere(std::uint32_t buffer, const std::vector<std::uint32_t>& members) const {
        return pinned_[buffer] || listing_.buffers[buffer].home != Home::kScratch ||
               std::ranges::any_of(readers_[buffer], [&](std::uint32_t reader) {
                   return std::ranges::find(members, reader) == members.end();
               });
    }

    const Listing& listing_;
    DType real_;
    std::vector<std::uint32_t> waits_;                 // how many operations before this one have not run
    std::vector<std::vector<std::uint32_t>> then_;     // which wait for it
    std::vector<std::vector<std::uint32_t>> readers_;  // by buffer
    std::vector<bool> pinned_;
    std::vector<std::uint32_t> ready_;  // in the listing's order
    std::vector<Instruction> out_;
};

}  // namespace

std::vector<Instruction> ordered(const Listing& listing, DType real, std::span<const std::uint32_t> pinned) {
    return Order(listing, real, pinned).plan();
}

}  // namespace tenon::compiled
