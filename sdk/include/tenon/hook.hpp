// SPDX-License-Identifier: Apache-2.0
// Hooks: what a run calls at certain points. An author writes
//
//     struct Goal {
//         double value;
//         static constexpr auto options = std::tuple{tenon::option<&Goal::value>("value", 0.0, "ends the run")};
//
//         static tenon::HookPlan plan() { return {.reads = {"eval/mean_reward"}}; }
//         void evaluated(const tenon::HookCall& run) const {
//             if (run.metric(0) >= value) {
//                 run.stop("the goal is reached");
//             }
//         }
//     };
//     TENON_PLUGIN("goal", "0.1.0", tenon::hook<Goal>("goal", "ends a run at a return"));
//
// The plan names what it reads, reports and moves (abi/hook.h); it may depend on options. The functions say at which
// points it is called, and a hook has at least one of them, each with a const tenon::HookCall&:
//
//     started, collected, updated, evaluated, checkpoint, ended
//
// Hooks whose functions are const keep nothing between calls; otherwise the members are saved like those of an env
// (state.hpp). The members of options that are tenon::live have the values of the run's schedules.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/abi/hook.h"
#include "tenon/abi/hook_writes.h"
#include "tenon/bind_options.hpp"
#include "tenon/guard.hpp"
#include "tenon/hook_call.hpp"
#include "tenon/live_options.hpp"
#include "tenon/plugin.hpp"
#include "tenon/saved.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The functions that T has. Calls visit(event, function, is_const) for each, where function(hook, call) calls it.
template <class T, class Visit>
constexpr void each_hook_function(Visit&& visit) {
#define TENON_HOOK_FUNCTION(event, name)                                                  \
    if constexpr (requires(T& hook, const HookCall& call) { hook.name(call); }) {         \
        visit(                                                                            \
            event, [](T& hook, const HookCall& call) { hook.name(call); },                \
            requires(const T& hook, const HookCall& call) { hook.name(call); });          \
    } else {                                                                              \
        static_assert(                                                                    \
            !requires { requires !std::is_member_object_pointer_v<decltype(&T::name)>; }, \
            #name " takes one const tenon::HookCall&");                                   \
    }
    TENON_HOOK_FUNCTION(TN_HOOK_STARTED, started)
    TENON_HOOK_FUNCTION(TN_HOOK_COLLECTED, collected)
    TENON_HOOK_FUNCTION(TN_HOOK_UPDATED, updated)
    TENON_HOOK_FUNCTION(TN_HOOK_EVALUATED, evaluated)
    TENON_HOOK_FUNCTION(TN_HOOK_CHECKPOINT, checkpoint)
    TENON_HOOK_FUNCTION(TN_HOOK_ENDED, ended)
#undef TENON_HOOK_FUNCTION
}

template <class T>
constexpr std::uint32_t hook_events() {
    std::uint32_t events = 0;
    each_hook_function<T>([&](std::uint32_t event, auto, bool) { events |= event; });
    return events;
}

// Whether all functions of T are const.
template <class T>
constexpr bool is_forgetful_hook() {
    bool forgetful = true;
    each_hook_function<T>([&](std::uint32_t, auto, bool is_const) { forgetful = forgetful && is_const; });
    return forgetful;
}

template <class T>
class HookAdapter {
public:
    explicit HookAdapter(const tn_create_args& args) : host_(args.host) {
        configure(hook_, args);
        if constexpr (kPlans) {
            plan_ = std::as_const(hook_).plan();
        }
        plan_.copies_of.resize(plan_.writes.size());
        for (const auto& [names, list] : {std::pair{&plan_.reads, &reads_}, std::pair{&plan_.columns, &columns_},
                                          std::pair{&plan_.metrics, &metrics_}, std::pair{&plan_.moves, &moves_},
                                          std::pair{&plan_.networks, &networks_}, std::pair{&plan_.writes, &writes_},
                                          std::pair{&plan_.copies_of, &copies_of_}}) {
            for (const std::string& name : *names) {
                list->push_back(to_str(name));
            }
        }
    }

    static const void* get_interface(std::string_view interface) {
        static constexpr tn_hook_api kHook = {
            .struct_size = sizeof(tn_hook_api), .flags = 0, .describe = &describe, .call = &call};
        static constexpr tn_hook_writes_api kWrites = {.struct_size = sizeof(tn_hook_writes_api),
                                                       .flags = 0,
                                                       .describe = &describe_writes,
                                                       .attach = &attach,
                                                       .copies_of = &describe_copies};
        if (interface == "tenon.hook/1") {
            return &kHook;
        }
        if (interface == "tenon.hook_writes/1") {
            return &kWrites;
        }
        if constexpr (kForgetful || Savable<T>) {
            if (interface == "tenon.state/1") {
                return StateInterface<HookAdapter>::table();
            }
        }
        return nullptr;
    }

    [[nodiscard]] const tn_host& host() const { return *host_; }
    void archive([[maybe_unused]] Archive& archive, std::uint32_t /*first*/, std::uint32_t /*count*/) {
        if constexpr (!kForgetful) {
            archive_object(archive, hook_);
        }
    }

private:
    static constexpr bool kPlans = requires(const T& hook) {
        { hook.plan() } -> std::convertible_to<HookPlan>;
    };
    static constexpr bool kForgetful = is_forgetful_hook<T>();
    static_assert(live_options_have_members<T>(), TENON_LIVE_OPTION_NEEDS_A_MEMBER);
    static_assert(kPlans, "a hook needs a function plan, static or const, that returns a tenon::HookPlan");
    static_assert(hook_events<T>() != 0,
                  "a hook needs one of the functions started, collected, updated, evaluated, checkpoint and ended, "
                  "with a const tenon::HookCall&: see tenon/hook.hpp");

    static HookAdapter& of(void* self) { return *static_cast<HookAdapter*>(self); }

    static tn_status describe(void* self, tn_hook_info* info) noexcept {
        const HookAdapter& adapter = of(self);
        info->events = hook_events<T>();
        info->reads = adapter.reads_.data();
        info->read_count = static_cast<std::uint32_t>(adapter.reads_.size());
        info->columns = adapter.columns_.data();
        info->column_count = static_cast<std::uint32_t>(adapter.columns_.size());
        info->metrics = adapter.metrics_.data();
        info->metric_count = static_cast<std::uint32_t>(adapter.metrics_.size());
        info->options = adapter.moves_.data();
        info->option_count = static_cast<std::uint32_t>(adapter.moves_.size());
        if (info->struct_size >= offsetof(tn_hook_info, network_count) + sizeof(info->network_count)) {
            info->networks = adapter.networks_.data();
            info->network_count = static_cast<std::uint32_t>(adapter.networks_.size());
        } else if (!adapter.networks_.empty()) {
            return guard(*adapter.host_, [] {
                throw Unavailable("this host is older than hooks that read networks; use a newer Tenon");
            });
        }
        return TN_OK;
    }

    static tn_status describe_writes(void* self, const tn_str** names, std::uint32_t* count) noexcept {
        const HookAdapter& adapter = of(self);
        *names = adapter.writes_.data();
        *count = static_cast<std::uint32_t>(adapter.writes_.size());
        return TN_OK;
    }
    static tn_status describe_copies(void* self, const tn_str** names) noexcept {
        *names = of(self).copies_of_.data();
        return TN_OK;
    }
    static void attach(void* self, const tn_hook_network* const* networks) noexcept { of(self).written_ = networks; }

    static tn_status call(void* self, const tn_hook_call* call) noexcept {
        HookAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            adapter.move_options(*call);
            const HookCall run(*call, adapter.plan_, adapter.written_);
            each_hook_function<T>([&](std::uint32_t event, auto function, bool) {
                if (event == call->event) {
                    function(adapter.hook_, run);
                }
            });
        });
    }

    // Copies the values of live options to their members.
    void move_options([[maybe_unused]] const tn_hook_call& call) {
        for_each_option<T>([&]<auto Member, class Default>(const Option<Member, Default>& option, std::size_t index) {
            if constexpr (std::is_member_object_pointer_v<decltype(Member)>) {
                if constexpr (std::floating_point<MemberType<Member>>) {
                    if (option.live && call.options != nullptr && index < call.own_option_count) {
                        hook_.*Member = static_cast<MemberType<Member>>(call.options[index]);
                    }
                }
            }
        });
    }

    const tn_host* host_;
    T hook_{};
    HookPlan plan_;
    std::vector<tn_str> reads_;
    std::vector<tn_str> columns_;
    std::vector<tn_str> metrics_;
    std::vector<tn_str> moves_;
    std::vector<tn_str> networks_;
    std::vector<tn_str> writes_;
    std::vector<tn_str> copies_of_;
    const tn_hook_network* const* written_ = nullptr;
};

template <class T>
consteval auto hook(const char* id, const char* help) {
    return component<HookAdapter<T>, T>(id, "hook", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
