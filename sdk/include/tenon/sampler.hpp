// SPDX-License-Identifier: Apache-2.0
// Samplers: which transitions of a buffer a batch is made of. An author writes
//
//     struct Newest {
//         static tenon::SamplerPlan plan() { return {.gathers = {{.source = "*"}}}; }
//         void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows);
//     };
//     TENON_PLUGIN("newest", "0.1.0", tenon::sampler<Newest>("newest", "what happened last"));
//
// The plan says how batches are put together (abi/sampler.h, tn_gather); plan may depend on options. sample chooses a
// pair of slot and lane for every row: rows.set(row, buffer.at(n)). What it draws depends on the run's seed and the
// number of the batch only. A sample that is const keeps nothing from batch to batch; what another one changes in the
// members is saved like those of an env (state.hpp).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/abi/sampler.h"
#include "tenon/bind_options.hpp"
#include "tenon/guard.hpp"
#include "tenon/plugin.hpp"
#include "tenon/random.hpp"
#include "tenon/saved.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Gather {
    std::string source;
    std::string target = {};  // as source where empty
    std::uint32_t array = 0;
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
    [[nodiscard]] std::uint32_t size_of(std::uint32_t lane) const { return view_->count[lane]; }

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
    SampleRows(const tn_sample_call& call, std::span<const SamplerColumn> columns) : call_(&call), columns_(columns) {}

    [[nodiscard]] std::uint32_t size() const { return call_->rows; }

    void set(std::uint32_t row, SlotLane from, std::uint32_t array = 0) const {
        call_->slots[array][row] = from.slot;
        call_->lanes[array][row] = from.lane;
    }

    // The memory of a column of the plan, by its number there.
    template <class E>
    [[nodiscard]] std::span<E> column(std::size_t number) const {
        if (number >= columns_.size() || columns_[number].dtype != dtype_of<E>()) {
            throw InvalidArgument("the plan has no column of that number and type");
        }
        return {static_cast<E*>(call_->columns[number]), call_->rows};
    }

private:
    const tn_sample_call* call_;
    std::span<const SamplerColumn> columns_;
};

template <class T>
concept ForgetfulSampler = requires(const T& sampler, Rng& rng, const Transitions& buffer, const SampleRows& rows) {
    sampler.sample(rng, buffer, rows);
};

template <class T>
class SamplerAdapter {
public:
    explicit SamplerAdapter(const tn_create_args& args) : host_(args.host) {
        configure(sampler_, args);
        if constexpr (kPlans) {
            plan_ = std::as_const(sampler_).plan();
        }
        for (const Gather& gather : plan_.gathers) {
            if (gather.array >= plan_.arrays) {
                throw InvalidArgument("the plan gathers '" + gather.source + "' at an array that it does not have");
            }
            gathers_.push_back({sizeof(tn_gather), gather.array, to_str(gather.source), to_str(gather.target)});
        }
        for (const SamplerColumn& column : plan_.columns) {
            columns_.push_back({sizeof(tn_sampler_column), column.dtype, to_str(column.key)});
        }
        for (const tn_gather& gather : gathers_) {
            gather_pointers_.push_back(&gather);
        }
        for (const tn_sampler_column& column : columns_) {
            column_pointers_.push_back(&column);
        }
    }

    static const void* get_interface(std::string_view interface) {
        static constexpr tn_sampler_api kSampler = {
            .struct_size = sizeof(tn_sampler_api), .flags = 0, .plan = &plan, .sample = &sample};
        if (interface == "tenon.sampler/1") {
            return &kSampler;
        }
        if constexpr (ForgetfulSampler<T> || Savable<T>) {
            if (interface == "tenon.state/1") {
                return StateInterface<SamplerAdapter>::table();
            }
        }
        return nullptr;
    }

    [[nodiscard]] const tn_host& host() const { return *host_; }
    void archive([[maybe_unused]] Archive& archive, std::uint32_t /*first*/, std::uint32_t /*count*/) {
        if constexpr (!ForgetfulSampler<T>) {
            archive_object(archive, sampler_);
        }
    }

private:
    static constexpr bool kPlans = requires(const T& sampler) {
        { sampler.plan() } -> std::convertible_to<SamplerPlan>;
    };
    static constexpr bool kSamples = requires(T& sampler, Rng& rng, const Transitions& buffer, const SampleRows& rows) {
        sampler.sample(rng, buffer, rows);
    };
    static_assert(kPlans, "a buffer has a function plan, static or const, that returns a tenon::SamplerPlan");
    static_assert(kSamples,
                  "a buffer has void sample(tenon::Rng&, const tenon::Transitions&, const tenon::SampleRows&): see "
                  "tenon/sampler.hpp");

    static SamplerAdapter& of(void* self) { return *static_cast<SamplerAdapter*>(self); }

    static tn_status plan(void* self, tn_sampler_info* info) noexcept {
        const SamplerAdapter& adapter = of(self);
        info->array_count = adapter.plan_.arrays;
        info->gathers = adapter.gather_pointers_.data();
        info->gather_count = static_cast<std::uint32_t>(adapter.gathers_.size());
        info->column_count = static_cast<std::uint32_t>(adapter.columns_.size());
        info->columns = adapter.column_pointers_.data();
        return TN_OK;
    }

    static tn_status sample(void* self, const tn_sample_call* call) noexcept {
        SamplerAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.transitions_.look_at(*call->view);
            if (adapter.transitions_.size() == 0) {
                throw FailedPrecondition("the buffer holds no complete transition yet");
            }
            Rng rng = Rng::of(*adapter.host_, call->key, call->counter, 0);
            if constexpr (kSamples) {
                adapter.sampler_.sample(rng, std::as_const(adapter.transitions_),
                                        SampleRows(*call, adapter.plan_.columns));
            }
        });
    }

    const tn_host* host_;
    T sampler_{};
    SamplerPlan plan_;
    std::vector<tn_gather> gathers_;
    std::vector<tn_sampler_column> columns_;
    std::vector<const tn_gather*> gather_pointers_;
    std::vector<const tn_sampler_column*> column_pointers_;
    Transitions transitions_;
};

template <class T>
consteval auto sampler(const char* id, const char* help) {
    return component<SamplerAdapter<T>, T>(id, "buffer", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
