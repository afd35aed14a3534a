// SPDX-License-Identifier: Apache-2.0
// Drives a policy that is a procedure on the columns of a storage.
#pragma once

#include <cstdint>
#include <memory>

#include "base/data/spec.hpp"
#include "base/thread/pool.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/policy.h"

namespace tenon {

class ProceduralPolicy {
public:
    // Passes the env's columns after transforms to the policy. The pool and a borrowed instance must outlive it.
    static Result<ProceduralPolicy> make(Callee<tn_policy_api> policy, const Composite& specs, Pool& pool);
    static Result<ProceduralPolicy> make(Instance policy, const Composite& specs, Pool& pool);
    ProceduralPolicy(ProceduralPolicy&&) noexcept;
    ProceduralPolicy& operator=(ProceduralPolicy&&) noexcept;
    ~ProceduralPolicy();

    [[nodiscard]] const Callee<tn_policy_api>& callee() const;

    // Binds observations, actions, states and is_init of the storage, which must not move until the next bind.
    Status bind(const Storage& storage);

    // Writes the actions of all lanes at the storage's head. mode: TN_ACT_SAMPLE or TN_ACT_MODE. Random numbers depend
    // only on key, counter and lane. An action that the env cannot take is the policy's problem. Without failures it
    // does not allocate or lock.
    Status act(std::int32_t mode, tn_key key, std::uint64_t counter);

    // The policy's state in the lanes that are still running. load comes after bind and after the storage's own load. A
    // policy without saved state starts again in a resumed run.
    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

private:
    struct State;
    explicit ProceduralPolicy(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;  // on the heap, because the plugin keeps addresses inside it
};

}  // namespace tenon
