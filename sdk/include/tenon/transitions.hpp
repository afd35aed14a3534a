// SPDX-License-Identifier: Apache-2.0
// What a sampler says of itself, sees of the buffer and fills in: plans, transitions, the rows of a batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tenon/abi/sampler.h"
#include "tenon/guard.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Gather {
    std::string source;
    std::string target = {};  // as source where empty
    std::uint32_t array = 0;
    std::uint32_t count = 1;  // arrays from `array` on; more than one give rows one more size, in front
};

// A column that the sampler makes itself, one element a row.
struct SamplerColumn {
    std::string key;
    std::int32_t dtype = TN_F32;
};

struct SamplerPlan {
    std::vector<Gather> gathers;
    std::vector<SamplerColumn> columns = {};
    std::uint32_t arrays = 1;
    std::uint32_t time = 0;  // rows are sequences of so many steps; 0: they are transitions
};

// Where a transition starts.
struct SlotLane {
    std::uint32_t slot;
    std::uint32_t lane;
};

// The complete transitions of a buffer, numbered 0 .. size()-1: lane by lane, oldest first.
class Transitions {
public:
    // Keeps its memory from call to call.
    void look_at(const tn_buffer_view& view) {
        view_ = &view;
        ends_.resize(view.lanes);
        std::uint64_t end = 0;
        for (std::uint32_t lane = 0; lane < view.lanes; ++lane) {
            end += view.count[lane];
            ends_[lane] = end;
        }
    }

    [[nodiscard]] std::uint64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
    [[nodiscard]] std::uint32_t lanes() const { return view_->lanes; }
    [[nodiscard]] std::uint32_t slots() const { return view_->slots; }  // of the ring: slot numbers are below
    [[nodiscard]] std::uint32_t size_of(std::uint32_t lane) const { return view_->count[lane]; }

    // Steps of all lanes together since the beginning. What a lane got since this was n are its youngest
    // appended() - n transitions, as far as it holds so many.
    [[nodiscard]] std::uint64_t appended() const {
        if (view_->struct_size < offsetof(tn_buffer_view, appended) + sizeof(view_->appended)) {
            throw FailedPrecondition("this host does not tell samplers what is new in the buffer");
        }
        return view_->appended;
    }

    // Of a transition: whether it is the last of its episode, whether it is its lane's youngest, and the one after it.
    [[nodiscard]] bool ends_episode(SlotLane at) const {
        if (view_->struct_size < offsetof(tn_buffer_view, truncated) + sizeof(view_->truncated)) {
            throw FailedPrecondition("this host does not tell samplers where episodes end");
        }
        const std::size_t number = std::size_t{at.slot} * view_->lanes + at.lane;
        return (view_->terminated[number] | view_->truncated[number]) != 0;
    }
    [[nodiscard]] bool is_youngest(SlotLane at) const {
        return at.slot == this->at(at.lane, view_->count[at.lane] - 1).slot;
    }
    [[nodiscard]] SlotLane after(SlotLane at) const { return {at.slot + 1 == view_->slots ? 0 : at.slot + 1, at.lane}; }

    // The transition that is `age` steps younger than the lane's oldest.
    [[nodiscard]] SlotLane at(std::uint32_t lane, std::uint32_t age) const {
        const std::uint64_t slot = std::uint64_t{view_->first[lane]} + age;
        return {static_cast<std::uint32_t>(slot < view_->slots ? slot : slot - view_->slots), lane};
    }
    [[nodiscard]] SlotLane at(std::uint64_t number) const {
        const auto lane =
            static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), number) - ends_.begin());
        const std::uint64_t before = lane == 0 ? 0 : ends_[lane - 1];
        return at(static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(number - before));
    }

private:
    const tn_buffer_view* view_ = nullptr;
    std::vector<std::uint64_t> ends_;
};

// The rows of one batch, to be filled in.
class SampleRows {
public:
    SampleRows(const tn_sample_call& call, const SamplerPlan& plan)
        : call_(&call), columns_(plan.columns), steps_(std::max(plan.time, 1U)) {}

    [[nodiscard]] std::uint32_t size() const { return call_->rows; }  // of sequences: how many of them

    void set(std::uint32_t row, SlotLane from, std::uint32_t array = 0) const {
        call_->slots[array][row] = from.slot;
        call_->lanes[array][row] = from.lane;
    }

    // One step of a row that is a sequence; its place in columns is place(step, row).
    void set_step(std::uint32_t step, std::uint32_t row, SlotLane from, std::uint32_t array = 0) const {
        call_->slots[array][place(step, row)] = from.slot;
        call_->lanes[array][place(step, row)] = from.lane;
    }
    [[nodiscard]] std::size_t place(std::uint32_t step, std::uint32_t row) const {
        return std::size_t{step} * call_->rows + row;
    }

    // The memory of a column of the plan, by its number there.
    template <class E>
    [[nodiscard]] std::span<E> column(std::size_t number) const {
        if (number >= columns_.size() || columns_[number].dtype != dtype_of<E>()) {
            throw InvalidArgument("the plan has no column of that number and type");
        }
        return {static_cast<E*>(call_->columns[number]), std::size_t{call_->rows} * steps_};
    }

private:
    const tn_sample_call* call_;
    std::span<const SamplerColumn> columns_;
    std::uint32_t steps_;
};

// What an update made of the rows of the last sample: how much there is to learn from each, finite and from 0 on.
class Priorities {
public:
    explicit Priorities(const tn_priority_call& call) : call_(&call) {}

    [[nodiscard]] std::uint32_t size() const { return call_->rows; }
    [[nodiscard]] double operator[](std::uint32_t row) const { return call_->priorities[row]; }
    // Where the row starts; maybe twice in a batch, maybe overwritten by now.
    [[nodiscard]] SlotLane at(std::uint32_t row) const { return {call_->slots[row], call_->lanes[row]}; }

private:
    const tn_priority_call* call_;
};

}  // namespace TENON_SDK
}  // namespace tenon
