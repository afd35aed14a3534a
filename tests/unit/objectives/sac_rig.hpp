// SPDX-License-Identifier: Apache-2.0
// Soft actor-critic with two critics on a bounded action of two dimensions, as its tests use it.
#pragma once

#include <vector>

#include "gradients.hpp"

namespace tenon::test {

inline const std::vector<double> kLow = {-2, -0.5};
inline const std::vector<double> kHigh = {1, 3};

inline Plan sac_plan() {
    const Options body = {{"hidden", std::vector<std::int64_t>{5}}};
    return {
        .columns = {real_column("observation", {3}), bounded_column("action", kLow, kHigh),
                    real_column("next.observation", {3}), real_column("next.reward"), flag_column("next.terminated")},
        .networks = {{.role = "actor", .component = "mlp/tanh_normal", .options = body},
                     {.role = "qvalue", .component = "mlp/q", .options = body, .count = 2}},
        .objective = "sac/sac",
        .options = {{"gamma", 0.9}, {"target_entropy", -1.0}}};
}

inline FilledBatch sac_batch(const Assembly& assembly) {
    return {assembly.columns(), {.rows = 11}, 23};
}

inline void set_log_alpha(Assembly& assembly, double value) {
    const Network& own = assembly.network("objective");
    set_numbers(own, own.live, std::vector<double>{value});
}

}  // namespace tenon::test
