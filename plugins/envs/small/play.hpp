// SPDX-License-Identifier: Apache-2.0
// Playing the envs of this folder in tests.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "tenon/abi/random.h"
#include "tenon/spec.hpp"

namespace tenon::test {

struct Told {
    double reward;
    bool terminated;
    bool truncated;
};

// Steps one lane from one slot to the next; the step must not park it.
inline Told play(EnvRig& rig, std::uint32_t slot, std::int64_t action, std::uint32_t lane = 0) {
    rig.columns.at<std::int64_t>("action", slot, lane) = action;
    REQUIRE(rig.step(slot, slot + 1, lane, 1) == TN_OK);
    INFO(rig.host.error);
    REQUIRE(rig.lane_status[lane] == TN_OK);
    return {rig.columns.at<float>("reward", slot, lane), rig.columns.at<bool>("terminated", slot, lane),
            rig.columns.at<bool>("truncated", slot, lane)};
}

// An action that the mask, if there is one, allows; deterministic.
inline std::int64_t any_action(EnvRig& rig, std::uint32_t slot, std::uint32_t lane, std::int64_t actions, bool masked) {
    std::vector<std::int64_t> allowed;
    for (std::int64_t action = 0; action < actions; ++action) {
        if (!masked || rig.columns.at<bool>("action_mask", slot, lane, static_cast<std::size_t>(action))) {
            allowed.push_back(action);
        }
    }
    REQUIRE(!allowed.empty());
    const std::uint32_t bits = tn_philox({slot, lane}, 0).word[0];
    return allowed[tn_below(bits, static_cast<std::uint32_t>(allowed.size()))];
}

// All elements of a lane's observations and of its latest reward, as numbers.
inline std::vector<double> seen(EnvRig& rig, std::uint32_t slot, std::uint32_t lane) {
    std::vector<double> out;
    const tn_env_info info = rig.describe();
    for (std::uint32_t i = 0; i < info.spec_count; ++i) {
        const Spec spec = read_spec(*info.specs[i]);
        if (spec.role != TN_ROLE_OBSERVATION) {
            continue;
        }
        for (std::size_t element = 0; element < static_cast<std::size_t>(spec.elements()); ++element) {
            with_dtype(spec.dtype, [&]<class E>(E) {
                out.push_back(static_cast<double>(rig.columns.at<E>(spec.key, slot, lane, element)));
            });
        }
    }
    if (slot > 0) {
        out.push_back(rig.columns.at<float>("reward", slot - 1, lane));
    }
    return out;
}

// Two lanes that were saved in mid-episode must continue equally in another instance.
template <class Adapter, class T>
void check_resumes(Component<Adapter, T> component, std::int64_t actions, bool masked,
                   const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change = {}) {
    constexpr std::uint32_t kSlots = 120;
    EnvRig whole(component, 2, kSlots, change);
    EnvRig resumed(component, 2, kSlots, change);
    whole.reset({1, 2});
    const auto step = [&](EnvRig& rig, std::uint32_t slot) {
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            play(rig, slot, any_action(whole, slot, lane, actions, masked), lane);
        }
    };
    for (std::uint32_t slot = 0; slot < 22; ++slot) {
        step(whole, slot);
    }
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 2) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 2) == TN_OK);
    int ends = 0;
    for (std::uint32_t slot = 22; slot + 1 < kSlots; ++slot) {
        step(whole, slot);
        step(resumed, slot);
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            ends += whole.columns.at<bool>("terminated", slot, lane) || whole.columns.at<bool>("truncated", slot, lane);
            REQUIRE(seen(resumed, slot + 1, lane) == seen(whole, slot + 1, lane));
        }
    }
    CHECK(ends > 0);
}

// The instance's message if its options are inconsistent.
template <class Adapter, class T>
std::string refusal(Component<Adapter, T> component,
                    const std::type_identity_t<std::function<void(OptionValues<T>&)>>& change) {
    PluginHost host;
    const PluginInstance instance(host, component, 1, change);
    CHECK(instance.status() == TN_INVALID_ARGUMENT);
    return host.error;
}

}  // namespace tenon::test
