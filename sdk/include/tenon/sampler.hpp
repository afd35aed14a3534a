// SPDX-License-Identifier: Apache-2.0
// Samplers: which transitions of a buffer form a batch. An author writes
//
//     struct Newest {
//         static tenon::SamplerPlan plan() { return {.gathers = {{.source = "*"}}}; }
//         void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows);
//     };
//     TENON_PLUGIN("newest", "0.1.0", tenon::sampler<Newest>("newest", "what happened last"));
//
// The plan says how batches are assembled (abi/sampler.h, tn_gather); it may depend on options. sample chooses a pair
// of slot and lane for every row: rows.set(row, buffer.at(n)). Its random numbers depend only on the run's seed and the
// number of the batch. A const sample keeps nothing between batches; if it is not const, the members are saved like
// those of an env (state.hpp). The members of options that are tenon::live have the values of the run's schedules. A
// sampler that uses priorities has
//
//     void prioritise(const tenon::Priorities& rows);
//
// A sampler that looks at columns of the buffer has reads (sampler_reads.hpp).
// A sampler that chooses rows on a device has open and enqueue_sample (device_memory.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/abi/device_sampler.h"
#include "tenon/abi/sampler.h"
#include "tenon/bind_options.hpp"
#include "tenon/device_kinds.hpp"
#include "tenon/guard.hpp"
#include "tenon/live_options.hpp"
#include "tenon/plugin.hpp"
#include "tenon/random.hpp"
#include "tenon/sampler_reads.hpp"
#include "tenon/saved.hpp"
#include "tenon/transitions.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
concept ForgetfulSampler = requires(const T& sampler, Rng& rng, const Transitions& buffer, const SampleRows& rows) {
    sampler.sample(rng, buffer, rows);
};

template <class T>
concept PrioritisedSampler = requires(T& sampler, const Priorities& rows) { sampler.prioritise(rows); };

template <class T>
concept SamplesOnDevice = requires(T& sampler, const tn_device_room& room, const tn_device_sample_call& call) {
    sampler.open(room);
    sampler.enqueue_sample(call);
};

// Its sample refuses the CPU: static constexpr bool only_on_device = true.
template <class T>
concept SamplesOnDeviceAlone = SamplesOnDevice<T> && requires { requires T::only_on_device; };

template <class T>
class SamplerAdapter : public std::conditional_t<SamplesOnDeviceAlone<T>, OnDeviceAlone,
                                                 std::conditional_t<SamplesOnDevice<T>, OnCpuAndDevice, OnCpuAlone>> {
public:
    explicit SamplerAdapter(const tn_create_args& args) : host_(args.host) {
        configure(sampler_, args);
        if constexpr (kPlans) {
            plan_ = std::as_const(sampler_).plan();
        }
        for (const Gather& gather : plan_.gathers) {
            if (gather.array >= plan_.arrays || gather.count > plan_.arrays - gather.array) {
                throw InvalidArgument("the plan gathers '" + gather.source +
                                      "' with an index array that it does not have");
            }
            const std::uint32_t flags = gather.keep_size ? std::uint32_t{TN_GATHER_KEEP_SIZE} : 0U;
            gathers_.push_back(
                {sizeof(tn_gather), gather.array, to_str(gather.source), to_str(gather.target), gather.count, flags});
        }
        for (const SamplerColumn& column : plan_.columns) {
            columns_.push_back({sizeof(tn_sampler_column), column.dtype, to_str(column.key), column.size, 0});
        }
        for (const tn_gather& gather : gathers_) {
            gather_pointers_.push_back(&gather);
        }
        for (const tn_sampler_column& column : columns_) {
            column_pointers_.push_back(&column);
        }
    }

    static const void* get_interface(std::string_view interface) {
        static constexpr tn_sampler_api kSampler = {.struct_size = sizeof(tn_sampler_api),
                                                    .flags = 0,
                                                    .plan = &plan,
                                                    .sample = &sample,
                                                    .prioritise = PrioritisedSampler<T> ? &prioritise : nullptr};
        if (interface == "tenon.sampler/1") {
            return &kSampler;
        }
        if constexpr (ReadsColumns<T>) {
            static constexpr tn_sampler_reads_api kReads = {
                .struct_size = sizeof(tn_sampler_reads_api), .flags = 0, .describe = &describe, .look = &look};
            if (interface == "tenon.sampler_reads/1") {
                return &kReads;
            }
        }
        if constexpr (SamplesOnDevice<T>) {
            static constexpr tn_device_sampler_api kOnDevice = {
                .struct_size = sizeof(tn_device_sampler_api),
                .flags = 0,
                .open = &open,
                .enqueue_sample = &enqueue_sample,
                .enqueue_prioritise = PrioritisedSampler<T> ? &enqueue_prioritise : nullptr};
            if (interface == "tenon.device_sampler/1") {
                return &kOnDevice;
            }
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
    static_assert(live_options_have_members<T>(), TENON_LIVE_OPTION_NEEDS_A_MEMBER);
    static_assert(kPlans, "a buffer needs a function plan, static or const, that returns a tenon::SamplerPlan");
    static_assert(kSamples,
                  "a buffer needs void sample(tenon::Rng&, const tenon::Transitions&, const tenon::SampleRows&): see "
                  "tenon/sampler.hpp");

    static_assert(
        ReadsColumns<T> || !requires { &T::reads; },
        "reads must return the columns: std::vector<tenon::ReadColumn> reads() const");
    static_assert(
        PrioritisedSampler<T> || !requires { &T::prioritise; },
        "prioritise must take the priorities of the update: void prioritise(const tenon::Priorities&)");

    static SamplerAdapter& of(void* self) { return *static_cast<SamplerAdapter*>(self); }

    static tn_status plan(void* self, tn_sampler_info* info) noexcept {
        const SamplerAdapter& adapter = of(self);
        info->array_count = adapter.plan_.arrays;
        info->gathers = adapter.gather_pointers_.data();
        info->gather_count = static_cast<std::uint32_t>(adapter.gathers_.size());
        info->column_count = static_cast<std::uint32_t>(adapter.columns_.size());
        info->columns = adapter.column_pointers_.data();
        if (info->struct_size >= offsetof(tn_sampler_info, time) + sizeof(info->time)) {
            info->time = adapter.plan_.time;
        } else if (adapter.plan_.time > 0) {
            return TN_UNIMPLEMENTED;
        }
        return TN_OK;
    }

    static tn_status sample(void* self, const tn_sample_call* call) noexcept {
        SamplerAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.transitions_.look_at(*call->view);
            if (adapter.transitions_.size() == 0) {
                throw FailedPrecondition("the buffer holds no complete transition yet");
            }
            adapter.move_options(*call);
            Rng rng = Rng::of(*adapter.host_, call->key, call->counter, 0);
            if constexpr (kSamples) {
                adapter.sampler_.sample(rng, std::as_const(adapter.transitions_), SampleRows(*call, adapter.plan_));
            }
        });
    }

    static tn_status prioritise(void* self, const tn_priority_call* call) noexcept {
        SamplerAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            if constexpr (PrioritisedSampler<T>) {
                adapter.sampler_.prioritise(Priorities(*call));
            }
        });
    }

    static tn_status describe(void* self, tn_sampler_reads_info* info) noexcept {
        SamplerAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            if constexpr (ReadsColumns<T>) {
                adapter.reads_.emplace(std::as_const(adapter.sampler_).reads());
                adapter.reads_->tell(*info);
            }
        });
    }
    static tn_status look(void* self, const tn_column* const* columns, std::uint32_t count) noexcept {
        SamplerAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] { adapter.transitions_.show({columns, count}); });
    }

    static tn_status open(void* self, const tn_device_room* room) noexcept {
        SamplerAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] { adapter.sampler_.open(*room); });
    }
    static tn_status enqueue_sample(void* self, const tn_device_sample_call* call) noexcept {
        SamplerAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] { adapter.sampler_.enqueue_sample(*call); });
    }
    static tn_status enqueue_prioritise(void* self, const tn_device_priority_call* call) noexcept {
        SamplerAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            if constexpr (PrioritisedSampler<T>) {
                adapter.sampler_.enqueue_prioritise(*call);
            }
        });
    }

    // Copies the values of live options to their members; a host that changes none passes none.
    void move_options([[maybe_unused]] const tn_sample_call& call) {
        for_each_option<T>([&]<auto Member, class Default>(const Option<Member, Default>& option, std::size_t index) {
            if constexpr (std::is_member_object_pointer_v<decltype(Member)>) {
                if constexpr (std::floating_point<MemberType<Member>>) {
                    const bool told =
                        call.struct_size >= offsetof(tn_sample_call, option_count) + sizeof(std::uint64_t);
                    if (option.live && told && call.options != nullptr && index < call.option_count) {
                        sampler_.*Member = static_cast<MemberType<Member>>(call.options[index]);
                    }
                }
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
    std::optional<ReadsInfo> reads_;
};

template <class T>
consteval auto sampler(const char* id, const char* help) {
    return component<SamplerAdapter<T>, T>(id, "buffer", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
