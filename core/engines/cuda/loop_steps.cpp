// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/loop_steps.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tenon::compiled::device {
namespace {

constexpr std::uint16_t kNowhere = 0xFFFF;

// The same number as loop_op of loops.cuh.
std::uint16_t number_of(const Op& op) {
    const int kind = op.kind == Kind::kInt ? 1 : op.kind == Kind::kBool ? 2 : 0;
    return static_cast<std::uint16_t>(kind << 8 | static_cast<int>(op.code));
}

class Allotting {
public:
    Allotting(const Loop& loop, const Listing& listing)
        : loop_(loop), listing_(listing), last_use_(loop.slots, 0), slot_of_(loop.slots, kNowhere) {
        for (std::size_t i = 0; i < loop.steps.size(); ++i) {
            for (std::size_t n = 0; n < inputs(i); ++n) {
                last_use_[loop.steps[i].in[n]] = i;
            }
        }
    }

    // Loads come first if there are enough slots, because they do not wait for each other.
    std::optional<LoopSteps> steps() {
        if (loop_.slots <= kMostSlots) {
            for (const Load& each : loop_.loads) {
                load(each.slot);
            }
        }
        for (std::size_t i = 0; i < loop_.steps.size(); ++i) {
            const Step& step = loop_.steps[i];
            LoopStep out{.op = number_of(op(i)), .bytes = 0, .in = {}, .out = 0};
            for (std::size_t n = 0; n < inputs(i); ++n) {
                load(step.in[n]);
                out.in[n] = slot_of_[step.in[n]];
            }
            for (std::size_t n = inputs(i); n < 3; ++n) {
                out.in[n] = out.in[0];
            }
            for (std::size_t n = 0; n < inputs(i); ++n) {
                if (last_use_[step.in[n]] == i) {
                    free(step.in[n]);
                }
            }
            out.out = take(step.out);
            out_.steps.push_back(out);
            store(step.out);
            if (last_use_[step.out] <= i) {
                free(step.out);
            }
        }
        return most_ <= kMostSlots ? std::optional(std::move(out_)) : std::nullopt;
    }

private:
    [[nodiscard]] const Op& op(std::size_t step) const { return listing_.ops[loop_.ops[step]]; }
    [[nodiscard]] std::size_t inputs(std::size_t step) const { return op(step).in.size(); }

    std::uint16_t take(std::uint32_t value) {
        const auto found = std::ranges::find(is_taken_, false);
        const auto slot = static_cast<std::uint16_t>(found - is_taken_.begin());
        if (found == is_taken_.end()) {
            is_taken_.push_back(true);
        }
        is_taken_[slot] = true;
        slot_of_[value] = slot;
        most_ = std::max<int>(most_, slot + 1);
        return slot;
    }

    void free(std::uint32_t value) {
        if (slot_of_[value] != kNowhere) {
            is_taken_[std::exchange(slot_of_[value], kNowhere)] = false;
        }
    }

    void load(std::uint32_t value) {
        const auto load = std::ranges::find(loop_.loads, value, &Load::slot);
        if (slot_of_[value] == kNowhere && load != loop_.loads.end()) {
            out_.steps.push_back({.op = kLoad, .bytes = load->bytes, .in = {place(load->view)}, .out = take(value)});
        }
    }

    void store(std::uint32_t value) {
        for (const Store& store : loop_.stores) {
            if (store.slot == value) {
                out_.steps.push_back(
                    {.op = kStore, .bytes = store.bytes, .in = {slot_of_[value], place(store.view)}, .out = 0});
            }
        }
    }

    std::uint16_t place(const View& view) {
        out_.places.push_back(&view);
        return static_cast<std::uint16_t>(out_.places.size() - 1);
    }

    const Loop& loop_;
    const Listing& listing_;
    std::vector<std::size_t> last_use_;   // by value: the number of a step
    std::vector<std::uint16_t> slot_of_;  // by value
    std::vector<bool> is_taken_;          // by slot
    int most_ = 0;
    LoopSteps out_;
};

}  // namespace

std::optional<LoopSteps> steps_of(const Loop& loop, const Listing& listing) {
    return Allotting(loop, listing).steps();
}

bool has_room(const Tape& tape) {
    return std::ranges::all_of(tape.instructions(), [&](const Instruction& each) {
        const auto* const loop = std::get_if<Loop>(&each.what);
        return loop == nullptr || steps_of(*loop, tape.listing());
    });
}

}  // namespace tenon::compiled::device
