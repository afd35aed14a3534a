// SPDX-License-Identifier: Apache-2.0
// Policies that are procedures: scripted, random, or an external program. An author writes
//
//     struct Sway {
//         struct Lane {                                        // optional: the state of a lane between steps
//             std::int64_t steps = 0;
//         };
//         void setup_columns(const tenon::PolicySpec& spec);   // optional: check the columns; throw if unsupported
//         void act(Lane& lane, const tenon::PolicyRow& row) const;
//     };
//     TENON_PLUGIN("sway", "0.1.0", tenon::policy<Sway>("sway", "left, right, left"));
//
// act writes the actions of one lane. It is const because several threads call it. It takes the arguments it needs, in
// this order:
//     Lane&                   the lane's state, reset where an episode begins and saved like the members of an env
//                             (state.hpp)
//     tenon::Rng&             a generator for this step and lane, which depends only on the run's seed
//     const tenon::PolicyRow& the observations and actions
// A policy that plans in copies of the env has the function plan instead (planner.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/abi/policy.h"
#include "tenon/bind_options.hpp"
#include "tenon/column.hpp"
#include "tenon/guard.hpp"
#include "tenon/planner.hpp"
#include "tenon/plugin.hpp"
#include "tenon/random.hpp"
#include "tenon/saved.hpp"
#include "tenon/spec.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The state that a policy of type T keeps for a lane.
template <class T>
struct PolicyLane {
    struct Type {};
    static constexpr bool kKeeps = false;
};
template <class T>
    requires requires { typename T::Lane; }
struct PolicyLane<T> {
    using Type = typename T::Lane;
    static constexpr bool kKeeps = true;
};

// The env's columns that a policy reads and writes.
struct PolicySpec {
    std::vector<Spec> observations;
    std::vector<Spec> actions;
};

struct PolicyColumns {
    std::vector<Column> observations;
    std::vector<Column> actions;
};

// One lane's rows, numbered as in the PolicySpec.
class PolicyRow {
public:
    PolicyRow(const PolicyColumns& columns, std::uint32_t slot, std::uint32_t lane, bool mode)
        : columns_(&columns), slot_(slot), lane_(lane), mode_(mode) {}

    template <class E>
    [[nodiscard]] std::span<const E> observation(std::size_t number = 0) const {
        return column_at(columns_->observations, number, "observation").row<const E>(slot_, lane_);
    }
    template <class E>
    [[nodiscard]] std::span<E> action(std::size_t number = 0) const {
        return column_at(columns_->actions, number, "action").row<E>(slot_, lane_);
    }
    [[nodiscard]] std::uint32_t lane() const { return lane_; }
    [[nodiscard]] bool wants_mode() const { return mode_; }  // choose the best action instead of a draw

private:
    const PolicyColumns* columns_;
    std::uint32_t slot_;
    std::uint32_t lane_;
    bool mode_;
};

// One step of a policy that plans, in all lanes.
class PlanCall {
public:
    PlanCall(const EnvCopies& env, const PolicyColumns& columns, const tn_host& host, const tn_policy_call& call)
        : copies(env), columns_(&columns), host_(&host), call_(&call) {}

    [[nodiscard]] std::uint32_t lanes() const { return call_->first + call_->count; }
    [[nodiscard]] PolicyRow row(std::uint32_t lane) const {
        return {*columns_, call_->slot, lane, call_->mode == TN_ACT_MODE};
    }
    // A generator for this step and lane.
    [[nodiscard]] Rng rng(std::uint32_t lane) const { return Rng::of(*host_, call_->key, call_->counter, lane); }

    const EnvCopies& copies;

private:
    const PolicyColumns* columns_;
    const tn_host* host_;
    const tn_policy_call* call_;
};

template <class T>
class PolicyAdapter {
public:
    explicit PolicyAdapter(const tn_create_args& args) : host_(args.host), kept_(args.lanes) {
        configure(policy_, args);
    }

    static const void* get_interface(std::string_view interface) {
        static constexpr tn_policy_api kPolicy = {
            .struct_size = sizeof(tn_policy_api), .flags = 0, .describe = &describe, .bind = &bind, .act = &act};
        if (interface == "tenon.policy/1") {
            return &kPolicy;
        }
        if constexpr (kPlans) {
            static constexpr tn_planner_api kPlanner = {
                .struct_size = sizeof(tn_planner_api), .flags = 0, .attach = &attach};
            if (interface == "tenon.planner/1") {
                return &kPlanner;
            }
        }
        if constexpr (Savable<Lane>) {
            if (interface == "tenon.state/1") {
                return StateInterface<PolicyAdapter>::table();
            }
        }
        return nullptr;
    }

    [[nodiscard]] const tn_host& host() const { return *host_; }
    void archive(Archive& archive, std::uint32_t first, std::uint32_t count) {
        for (Lane& lane : lanes_at(kept_, first, count)) {
            archive_object(archive, lane);
        }
    }

private:
    using Lane = typename PolicyLane<T>::Type;

    static constexpr bool kPlans = requires(const T& policy, const PlanCall& call) { policy.plan(call); };
    static constexpr bool kActs =
        kPlans ? true
        : PolicyLane<T>::kKeeps
            ? requires(const T& policy, Lane& lane, const PolicyRow& row) { policy.act(lane, row); } ||
                  requires(const T& policy, Lane& lane, Rng& rng, const PolicyRow& row) { policy.act(lane, rng, row); }
            : requires(const T& policy, const PolicyRow& row) { policy.act(row); } ||
                  requires(const T& policy, Rng& rng, const PolicyRow& row) { policy.act(rng, row); };
    static_assert(kActs,
                  "a policy needs void act(Lane&, tenon::Rng&, const tenon::PolicyRow&) const, without Lane& if it has "
                  "no struct Lane, without tenon::Rng& if it draws nothing: see tenon/policy.hpp");
    static_assert(
        requires(T& policy, const PolicySpec& spec) { policy.setup_columns(spec); } || !requires { &T::setup_columns; },
        "setup_columns of a policy must be void setup_columns(const tenon::PolicySpec&)");

    static PolicyAdapter& of(void* self) { return *static_cast<PolicyAdapter*>(self); }

    static tn_status describe(void* self, const tn_spec* const* specs, std::uint32_t count) noexcept {
        PolicyAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            PolicySpec spec;
            for (const tn_spec* one : std::span(specs, count)) {
                if (one->role == TN_ROLE_OBSERVATION) {
                    spec.observations.push_back(read_spec(*one));
                } else if (one->role == TN_ROLE_ACTION) {
                    spec.actions.push_back(read_spec(*one));
                }
            }
            if constexpr (requires { adapter.policy_.setup_columns(spec); }) {
                adapter.policy_.setup_columns(spec);
            }
            adapter.spec_ = std::move(spec);
        });
    }

    static tn_status bind(void* self, const tn_policy_buffers* buffers) noexcept {
        PolicyAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            const std::span bound(buffers->columns, buffers->column_count);
            PolicyColumns columns;
            for (const Spec& spec : adapter.spec_.observations) {
                columns.observations.push_back(Column::find(bound, spec.key, spec, buffers->slots, buffers->lanes));
            }
            for (const Spec& spec : adapter.spec_.actions) {
                columns.actions.push_back(Column::find(bound, spec.key, spec, buffers->slots, buffers->lanes));
            }
            if constexpr (PolicyLane<T>::kKeeps) {
                const Spec flag = unbounded("flag", {}, TN_BOOL, {});
                adapter.is_init_ = Column::find(bound, "is_init", flag, buffers->slots, buffers->lanes);
            }
            if (adapter.copied_ != nullptr) {
                adapter.copies_ = EnvCopies(*adapter.copied_, adapter.spec_.observations, adapter.spec_.actions);
            }
            adapter.columns_ = std::move(columns);
            adapter.slots_ = buffers->slots;
            adapter.lanes_ = buffers->lanes;
        });
    }

    static tn_status act(void* self, const tn_policy_call* call) noexcept {
        PolicyAdapter& adapter = of(self);
        return guard(*adapter.host_, [&] {
            if (call->slot >= adapter.slots_ || call->first > adapter.lanes_ ||
                call->count > adapter.lanes_ - call->first) {
                throw FailedPrecondition("the policy was called with rows that were not bound");
            }
            if constexpr (kPlans) {
                if (adapter.copied_ == nullptr) {
                    throw FailedPrecondition("it plans in copies of the env, which this host does not pass to it");
                }
                std::as_const(adapter.policy_).plan(PlanCall(adapter.copies_, adapter.columns_, *adapter.host_, *call));
            } else if constexpr (kActs) {
                for (std::uint32_t lane = call->first; lane < call->first + call->count; ++lane) {
                    adapter.act_in(lane, *call);
                }
            }
        });
    }

    static void attach(void* self, const tn_env_copies* copies) noexcept { of(self).copied_ = copies; }

    void act_in(std::uint32_t lane, const tn_policy_call& call) {
        const T& policy = policy_;
        const PolicyRow row(columns_, call.slot, lane, call.mode == TN_ACT_MODE);
        const auto rng = [&] { return Rng::of(*host_, call.key, call.counter, lane); };
        if constexpr (!PolicyLane<T>::kKeeps) {
            if constexpr (requires { policy.act(row); }) {
                policy.act(row);
            } else {
                Rng own = rng();
                policy.act(own, row);
            }
        } else {
            Lane& kept = kept_.at(lane);
            if (is_init_.template scalar<bool>(call.slot, lane)) {
                kept = Lane{};
            }
            if constexpr (requires { policy.act(kept, row); }) {
                policy.act(kept, row);
            } else {
                Rng own = rng();
                policy.act(kept, own, row);
            }
        }
    }

    const tn_host* host_;
    T policy_{};
    PolicySpec spec_;
    PolicyColumns columns_;
    Column is_init_;
    const tn_env_copies* copied_ = nullptr;
    EnvCopies copies_;
    std::vector<Lane> kept_;  // [lanes]
    std::uint32_t slots_ = 0;
    std::uint32_t lanes_ = 0;
};

template <class T>
consteval auto policy(const char* id, const char* help) {
    return component<PolicyAdapter<T>, T>(id, "policy", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
