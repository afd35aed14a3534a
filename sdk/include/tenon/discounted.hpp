// SPDX-License-Identifier: Apache-2.0
// The reward and the discount of a row, whatever number of steps the run's buffer puts into a row.
#pragma once

#include <cstdint>

#include "tenon/build.hpp"
#include "tenon/generated/ops.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Discounted {
    Value reward;    // the sum of gamma^k r_k over the steps
    Value discount;  // gamma to the power of the number of steps
};

// A target is reward + discount * (1 - terminated) * (the value of the state under next.). For rows of one step these
// are next.reward and gamma; for several steps the buffer provides next.rewards and steps.
inline Discounted discounted(const Graph& g, const Batch& batch, In gamma) {
    const detail::CalledFrom caller(gamma.at);
    if (g.spec("next.rewards", true) == nullptr) {
        return {batch.next()["reward"], Value{gamma.id}};
    }
    const Value rewards = batch.next()["rewards"];
    const Value steps = batch["steps"];
    Discounted out{squeeze(slice(rewards, 0, 1)), Value{gamma.id}};
    for (std::int64_t k = 1; k < last_size(rewards); ++k) {
        const Value taken = steps > static_cast<double>(k);
        out.reward = out.reward + where(taken, out.discount * squeeze(slice(rewards, k, 1)), 0.0);
        out.discount = where(taken, out.discount * gamma, out.discount);
    }
    return out;
}

}  // namespace TENON_SDK
}  // namespace tenon
