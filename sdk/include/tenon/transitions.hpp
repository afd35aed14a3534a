// SPDX-License-Identifier: Apache-2.0
// A sampler's plan, its view of the buffer, and the rows of the batch that it fills in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "tenon/abi/sampler.h"
#include "tenon/abi/tensor.h"
#include "tenon/guard.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Gather {
    std::string source;
    std::string target = {};  // empty: the same as source
    std::uint32_t array = 0;
    std::uint32_t count = 1;  // number of arrays, starting at `array`; above 1, rows get an additional leading size
    bool keep_size = false;   // rows get that size also if count is 1
};

// A column that the sampler computes itself, one element per row, or `size` of them.
struct SamplerColumn {
    std::string key;
    std::int32_t dtype = TN_F32;
    std::uint32_t size = 0;  // of a row; 0: rows are single elements, without a size
};

struct SamplerPlan {
    std::vector<Gather> gathers;
    std::vector<SamplerColumn> columns = {};
    std::uint32_t arrays = 1;
    std::uint32_t time = 0;  // rows are sequences of this many steps; 0: they are transitions
};

// The plan for rows of several steps, with one index array for each of them: all rewards as next.rewards, the state
// after the last step under next., and the number of real steps in the last column, "steps", which the sampler writes.
// One step changes nothing.
inline SamplerPlan with_steps(SamplerPlan plan, std::uint32_t steps) {
    if (steps > 1) {
        plan.arrays = steps;
        plan.gathers.push_back({.source = "next.reward", .target = "next.rewards", .array = 0, .count = steps});
        plan.gathers.push_back({.source = "next.*", .array = steps - 1});
        plan.columns.push_back({.key = "steps"});
    }
    return plan;
}

// The start of a transition.
struct SlotLane {
    std::uint32_t slot;
    std::uint32_t lane;
};

// The complete transitions of a buffer, numbered 0 .. size()-1 by lane and then by age, oldest first.
class Transitions {
public:
    // Reuses its memory between calls.
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
    [[nodiscard]] std::uint32_t slots() const { return view_->slots; }  // of the ring buffer
    [[nodiscard]] std::uint32_t size_of(std::uint32_t lane) const { return view_->count[lane]; }

    // Steps of all lanes together since the beginning. With n its value at an earlier call, the newest appended() - n
    // transitions of a lane are new since then, as far as it holds them.
    [[nodiscard]] std::uint64_t appended() const {
        if (view_->struct_size < offsetof(tn_buffer_view, appended) + sizeof(view_->appended)) {
            throw FailedPrecondition("this host does not tell samplers which transitions are new; use a newer Tenon");
        }
        return view_->appended;
    }

    // Whether a transition is the last of its episode, and whether it is its lane's newest.
    [[nodiscard]] bool ends_episode(SlotLane at) const {
        if (view_->struct_size < offsetof(tn_buffer_view, truncated) + sizeof(view_->truncated)) {
            throw FailedPrecondition("this host does not tell samplers where episodes end; use a newer Tenon");
        }
        return (view_->terminated[number_of(at)] | view_->truncated[number_of(at)]) != 0;
    }
    [[nodiscard]] bool is_youngest(SlotLane at) const {
        return at.slot == this->at(at.lane, view_->count[at.lane] - 1).slot;
    }
    // How a transition ended its episode; both are false where it did not.
    [[nodiscard]] bool terminated(SlotLane at) const {
        return ends_episode(at) && view_->terminated[number_of(at)] != 0;
    }
    [[nodiscard]] bool truncated(SlotLane at) const { return ends_episode(at) && view_->truncated[number_of(at)] != 0; }
    // Whether the buffer holds the previous step of the transition's episode, which is before(at).
    [[nodiscard]] bool came_from(SlotLane at) const {
        return at.slot != view_->first[at.lane] && !ends_episode(before(at));
    }
    // Whether the buffer holds the next step of the transition's episode, which is after(at).
    [[nodiscard]] bool goes_on(SlotLane at) const { return !ends_episode(at) && !is_youngest(at); }
    // At most slots() steps.
    [[nodiscard]] SlotLane after(SlotLane at, std::uint64_t steps = 1) const {
        return wrapped(at.slot + steps, at.lane);
    }
    [[nodiscard]] SlotLane before(SlotLane at, std::uint64_t steps = 1) const {
        return wrapped(at.slot + (view_->slots - steps), at.lane);
    }
    // How many steps after its lane's oldest transition this one is.
    [[nodiscard]] std::uint32_t age(SlotLane at) const {
        const std::uint32_t first = view_->first[at.lane];
        return at.slot >= first ? at.slot - first : at.slot + (view_->slots - first);
    }

    // A number of the column reads()[column] in the row where the transition begins (sampler_reads.hpp).
    [[nodiscard]] double number(SlotLane at, std::size_t column = 0, std::size_t element = 0) const {
        if (column >= shown_.size() || element >= shown_[column].elements) {
            refuse_number(column, element);
        }
        const Shown& shown = shown_[column];
        const std::byte* const row = shown.data + at.slot * shown.slot_stride + at.lane * shown.lane_stride;
        return with_dtype(shown.dtype, [&]<class E>(E value) {
            std::memcpy(&value, row + element * sizeof(E), sizeof(E));
            return static_cast<double>(value);
        });
    }
    // How many numbers a row of that column has.
    [[nodiscard]] std::size_t numbers(std::size_t column) const {
        if (column >= shown_.size()) {
            refuse_number(column, 0);
        }
        return shown_[column].elements;
    }
    // Before each batch of a sampler that reads columns.
    void show(std::span<const tn_column* const> columns) {
        shown_.clear();
        for (const tn_column* const column : columns) {
            const tn_tensor& tensor = column->tensor;
            const auto size = with_dtype(tensor.dtype, [](auto zero) { return sizeof zero; });
            const auto stride = [&](std::size_t dim) {
                return tensor.strides[dim] * static_cast<std::ptrdiff_t>(size);
            };
            std::size_t elements = 1;
            for (std::uint32_t dim = 2; dim < tensor.rank; ++dim) {
                elements *= static_cast<std::size_t>(tensor.shape[dim]);
            }
            shown_.push_back(
                {static_cast<const std::byte*>(tensor.data), tensor.dtype, stride(0), stride(1), elements});
        }
    }

    // The transition `age` steps after the lane's oldest.
    [[nodiscard]] SlotLane at(std::uint32_t lane, std::uint32_t age) const {
        return wrapped(std::uint64_t{view_->first[lane]} + age, lane);
    }
    [[nodiscard]] SlotLane at(std::uint64_t number) const {
        const auto lane =
            static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), number) - ends_.begin());
        const std::uint64_t before = lane == 0 ? 0 : ends_[lane - 1];
        return at(static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(number - before));
    }

private:
    [[nodiscard]] std::size_t number_of(SlotLane at) const { return std::size_t{at.slot} * view_->lanes + at.lane; }
    [[nodiscard]] SlotLane wrapped(std::uint64_t slot, std::uint32_t lane) const {
        return {static_cast<std::uint32_t>(slot < view_->slots ? slot : slot - view_->slots), lane};
    }
    struct Shown {
        const std::byte* data;
        std::int32_t dtype;
        std::ptrdiff_t slot_stride;
        std::ptrdiff_t lane_stride;
        std::size_t elements;  // of a row
    };
    [[noreturn]] void refuse_number(std::size_t column, std::size_t element) const {
        throw InvalidArgument(column < shown_.size() ? "sample reads number " + std::to_string(element) +
                                                           " of column " + std::to_string(column) + ", which has " +
                                                           std::to_string(shown_[column].elements)
                                                     : "sample reads column " + std::to_string(column) + " of the " +
                                                           std::to_string(shown_.size()) + " that its reads() names");
    }
    const tn_buffer_view* view_ = nullptr;
    std::vector<std::uint64_t> ends_;
    std::vector<Shown> shown_;
};

// The rows of one batch, to be filled in.
class SampleRows {
public:
    SampleRows(const tn_sample_call& call, const SamplerPlan& plan)
        : call_(&call), columns_(plan.columns), steps_(std::max(plan.time, 1U)) {}

    [[nodiscard]] std::uint32_t size() const { return call_->rows; }  // rows of the batch, or sequences

    void set(std::uint32_t row, SlotLane from, std::uint32_t array = 0) const {
        call_->slots[array][row] = from.slot;
        call_->lanes[array][row] = from.lane;
    }

    // Sets one step of a row that is a sequence; its index in columns is place(step, row).
    void set_step(std::uint32_t step, std::uint32_t row, SlotLane from, std::uint32_t array = 0) const {
        call_->slots[array][place(step, row)] = from.slot;
        call_->lanes[array][place(step, row)] = from.lane;
    }
    [[nodiscard]] std::size_t place(std::uint32_t step, std::uint32_t row) const {
        return std::size_t{step} * call_->rows + row;
    }

    // The memory of a column of the plan, by its index in the plan; with a size, the elements of a row are contiguous.
    template <class E>
    [[nodiscard]] std::span<E> column(std::size_t number) const {
        if (number >= columns_.size() || columns_[number].dtype != dtype_of<E>()) {
            throw InvalidArgument("the plan has no column with this number and type");
        }
        const std::size_t elements = std::max(columns_[number].size, 1U);
        return {static_cast<E*>(call_->columns[number]), std::size_t{call_->rows} * steps_ * elements};
    }

private:
    const tn_sample_call* call_;
    std::span<const SamplerColumn> columns_;
    std::uint32_t steps_;
};

// The priorities that an update computed for the rows of the last sample, finite and not negative.
class Priorities {
public:
    explicit Priorities(const tn_priority_call& call) : call_(&call) {}

    [[nodiscard]] std::uint32_t size() const { return call_->rows; }
    [[nodiscard]] double operator[](std::uint32_t row) const { return call_->priorities[row]; }
    // Where the row starts. A transition may occur twice in a batch, and may have been overwritten since.
    [[nodiscard]] SlotLane at(std::uint32_t row) const { return {call_->slots[row], call_->lanes[row]}; }
    // Steps at the start of each sequence that only warmed up memories.
    [[nodiscard]] std::uint32_t burn_in() const {
        return call_->struct_size < offsetof(tn_priority_call, burn_in) + sizeof(call_->burn_in) ? 0 : call_->burn_in;
    }

private:
    const tn_priority_call* call_;
};

}  // namespace TENON_SDK
}  // namespace tenon
