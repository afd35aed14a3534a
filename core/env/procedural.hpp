// SPDX-License-Identifier: Apache-2.0
// Drives a policy that is a procedure, on columns of a storage.
#pragma once

#include <cstdint>
#include <memory>

#include "data/spec.hpp"
#include "replay/callee.hpp"
#include "replay/storage.hpp"
#include "tenon/abi/policy.h"
#include "thread/pool.hpp"

namespace tenon {

class ProceduralPolicy {
public:
    // Shows the policy the env's columns, after transforms. The pool must outlive it, as must a borrowed instance.
    static Result<ProceduralPolicy> make(Callee<tn_policy_api> policy, const Composite& specs, Pool& pool);
    static Result<ProceduralPolicy> make(Instance policy, const Composite& specs, Pool& pool);
    ProceduralPolicy(ProceduralPolicy&&) noexcept;
    ProceduralPolicy& operator=(ProceduralPolicy&&) noexcept;
    ~ProceduralPolicy();

    [[nodiscard]] const Callee<tn_policy_api>& callee() const;

    // Observations, actions, states and is_init of the storage. It must stay where it is until the next bind.
    Status bind(const Storage& storage);

    // Writes the actions of all lanes at the storage's head. mode: TN_ACT_SAMPLE or TN_ACT_MODE; what it draws is a
    // function of key, counter and lane. An action that the env cannot take is the policy's problem. Neither allocates
    // nor locks while all goes well.
    Status act(std::int32_t mode, tn_key key, std::uint64_t counter);

    // What the policy keeps in the lanes that still run; load comes after bind and after the storage's own load. A
    // policy that saves no state begins anew in a resumed run.
    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

private:
    struct State;
    explicit ProceduralPolicy(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;  // the plugin keeps addresses inside it
};

}  // namespace tenon
