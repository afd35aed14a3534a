// SPDX-License-Identifier: Apache-2.0
#include "experience/env/procedural.hpp"

#include <optional>
#include <utility>

#include "base/data/column_table.hpp"
#include "base/data/spec_abi.hpp"
#include "base/log/log.hpp"
#include "experience/env/action_check.hpp"
#include "experience/env/lane_grain.hpp"
#include "experience/env/range_failures.hpp"
#include "experience/replay/saved_state.hpp"
#include "tenon/abi/planner.h"

namespace tenon {

struct ProceduralPolicy::State {
    Callee<tn_policy_api> policy;
    std::optional<Instance> instance;
    Pool* pool = nullptr;
    bool plans = false;  // in copies of the env, which all lanes share
    Composite specs;
    const Storage* storage = nullptr;
    ActionCheck check;
    ColumnTable columns;
    tn_policy_buffers buffers{};
    RangeFailures failures;

    // A restarted process has been asked again, so no step is lost. Only the state between calls is.
    void tell_of_lost() {
        if (policy.lost == nullptr || !policy.lost->any) {
            return;
        }
        for (const std::string& sentence : std::exchange(policy.lost->sentences, {})) {
            log(Level::kWarning, render_unlabelled(policy.problem(sentence)));
        }
        policy.lost->any = false;
    }
};

ProceduralPolicy::ProceduralPolicy(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProceduralPolicy::ProceduralPolicy(ProceduralPolicy&&) noexcept = default;
ProceduralPolicy& ProceduralPolicy::operator=(ProceduralPolicy&&) noexcept = default;
ProceduralPolicy::~ProceduralPolicy() = default;

const Callee<tn_policy_api>& ProceduralPolicy::callee() const {
    return state_->policy;
}

Result<ProceduralPolicy> ProceduralPolicy::make(Callee<tn_policy_api> policy, const Composite& specs, Pool& pool) {
    const SpecTable table(specs);
    const tn_status described = call_plugin(policy.name, "describe", policy.place, policy.api->describe, policy.self,
                                            table.data(), table.size());
    if (Status status = check_call(described, policy.name, "describe", policy.place); !status) {
        if (described == TN_INVALID_ARGUMENT) {
            status.error().fault = Fault::kInput;  // the policy does not support the env; the manifest chose both
        }
        return std::move(status.error());
    }
    auto state = std::make_unique<State>();
    state->policy = std::move(policy);
    state->pool = &pool;
    state->specs = specs;
    return ProceduralPolicy(std::move(state));
}

Result<ProceduralPolicy> ProceduralPolicy::make(Instance policy, const Composite& specs, Pool& pool) {
    ProceduralPolicy out = TENON_TRY(make(Callee<tn_policy_api>::of(policy, "tenon.policy/1"), specs, pool));
    out.state_->plans = policy.interface<tn_planner_api>("tenon.planner/1") != nullptr;
    out.state_->instance.emplace(std::move(policy));
    return out;
}

Status ProceduralPolicy::bind(const Storage& storage) {
    State& state = *state_;
    ColumnTable columns;
    for (const StorageColumn& column : storage.columns()) {
        if (column.role == Role::kObservation || column.role == Role::kAction || column.role == Role::kState ||
            column.key == "is_init") {
            columns.add(column.key, column.view);
        }
    }
    const ColumnTable before = std::exchange(state.columns, std::move(columns));
    state.storage = &storage;
    state.check = ActionCheck(state.specs, storage);
    state.buffers = {.struct_size = sizeof(tn_policy_buffers),
                     .flags = 0,
                     .slots = storage.slots(),
                     .lanes = storage.lanes(),
                     .columns = state.columns.data(),
                     .column_count = state.columns.size()};
    return state.policy.call("bind", state.policy.api->bind, &state.buffers);
}

Status ProceduralPolicy::act(std::int32_t mode, tn_key key, std::uint64_t counter) {
    struct Job {
        State* state;
        tn_policy_call call;
    };
    State& state = *state_;
    if (state.storage == nullptr) {
        return input_problem(state.policy.name + " was asked to act before it was bound to a storage");
    }
    Job job{.state = &state,
            .call = {.struct_size = sizeof(tn_policy_call),
                     .mode = mode,
                     .slot = state.storage->head(),
                     .first = 0,
                     .count = 0,
                     .flags = 0,
                     .key = key,
                     .counter = counter}};
    const auto body = [](void* arg, std::uint64_t first, std::uint64_t count) {
        const Job& of = *static_cast<const Job*>(arg);
        tn_policy_call call = of.call;
        call.first = static_cast<std::uint32_t>(first);
        call.count = static_cast<std::uint32_t>(count);
        const Callee<tn_policy_api>& policy = of.state->policy;
        if (Status status = policy.call("act", policy.api->act, &std::as_const(call)); !status) {
            of.state->failures.record(first, std::move(status.error()));
        }
    };
    const std::uint32_t grain =
        state.policy.lost == nullptr ? kLaneGrain : state.storage->lanes();  // one request at a time
    if (state.plans) {
        body(&job, 0, state.storage->lanes());
    } else {
        state.pool->parallel_for(state.storage->lanes(), grain, body, &job);
    }
    TENON_TRY(state.failures.take());
    state.tell_of_lost();
    const std::string fault = state.check.fault(*state.storage);
    return fault.empty() ? Status() : state.policy.problem(fault);
}

Status ProceduralPolicy::save(const tn_writer& writer) const {
    const State& state = *state_;
    if (state.storage == nullptr) {
        return input_problem(state.policy.name + " was saved before it was bound to a storage");
    }
    StateSink sink(writer);
    TENON_TRY(save_state(state.policy, live_ranges(state.storage->parked()), sink));
    return sink.status(state.policy.name);
}

Status ProceduralPolicy::load(const tn_reader& reader) {
    State& state = *state_;
    if (state.storage == nullptr) {
        return input_problem(state.policy.name + " was restored before it was bound to a storage");
    }
    StateSource source(reader);
    return load_state(state.policy, live_ranges(state.storage->parked()), source);
}

}  // namespace tenon
