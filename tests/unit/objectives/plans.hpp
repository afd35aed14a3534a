// SPDX-License-Identifier: Apache-2.0
// The objectives as a run has them, in either dtype.
#pragma once

#include "assembly.hpp"

namespace tenon::test {

inline const Options kBody = {{"hidden", std::vector<std::int64_t>{8, 8}}};

inline Plan dqn_plan(DType real) {
    return {.columns = {real_column("observation", {4}, real), categorical_column("action", 2),
                        real_column("next.observation", {4}, real), real_column("next.reward", {}, real),
                        flag_column("next.terminated")},
            .networks = {{.role = "qvalue", .component = "mlp/q_value", .options = kBody}},
            .objective = "dqn/dqn",
            .options = {},
            .real = real};
}

inline Plan distributional_plan(DType real, const std::string& kind, const std::string& width) {
    Plan plan = dqn_plan(real);
    plan.objective = "dqn/" + kind;
    plan.networks[0].component = "mlp/" + kind;
    plan.networks[0].options.push_back({width, std::int64_t{5}});
    return plan;
}
inline Plan c51_plan(DType real) {
    return distributional_plan(real, "c51", "atoms");
}
inline Plan qr_plan(DType real) {
    return distributional_plan(real, "qr", "quantiles");
}

inline Plan ppo_plan(DType real) {
    return {.columns = {real_column("observation", {4}, real), categorical_column("action", 2),
                        real_column("log_prob", {}, real), real_column("advantage", {}, real),
                        real_column("value_target", {}, real), real_column("next.observation", {4}, real),
                        real_column("next.reward", {}, real), flag_column("next.terminated"), flag_column("next.done")},
            .networks = {{.role = "actor", .component = "mlp/categorical", .options = kBody},
                         {.role = "value", .component = "mlp/value", .options = kBody}},
            .objective = "ppo/ppo",
            .options = {},
            .live = {"clip_epsilon"},
            .real = real};
}

inline Plan a2c_plan(DType real) {
    Plan plan = ppo_plan(real);
    plan.objective = "a2c/a2c";
    plan.live = {};
    return plan;
}

inline Plan ppo_kl_plan(DType real) {
    Plan plan = a2c_plan(real);
    plan.objective = "ppo/kl";
    plan.columns.push_back(real_column("action_logits", {2}, real));
    return plan;
}

inline Plan discrete_cql_plan(DType real) {
    Plan plan = dqn_plan(real);
    plan.objective = "cql/discrete";
    return plan;
}

inline Plan discrete_sac_plan(DType real) {
    Plan plan = dqn_plan(real);
    plan.objective = "sac/discrete";
    plan.networks[0].count = 2;
    plan.networks.push_back({.role = "actor", .component = "mlp/categorical", .options = kBody});
    return plan;
}

inline Plan reinforce_plan(DType real) {
    Plan plan = a2c_plan(real);
    plan.objective = "reinforce/reinforce";
    return plan;
}

inline Plan sac_plan(DType real) {
    return {.columns = {real_column("observation", {3}, real), bounded_column("action", {-2}, {2}, real),
                        real_column("next.observation", {3}, real), real_column("next.reward", {}, real),
                        flag_column("next.terminated")},
            .networks = {{.role = "actor", .component = "mlp/tanh_normal", .options = kBody},
                         {.role = "qvalue", .component = "mlp/q", .options = kBody, .count = 2}},
            .objective = "sac/sac",
            .options = {},
            .real = real};
}

// With one critic or two, as many as ddpg and td3 have.
inline Plan deterministic_plan(DType real, const std::string& objective, std::int64_t critics) {
    Plan plan = sac_plan(real);
    plan.objective = objective;
    plan.networks[1].count = critics;
    return plan;
}
inline Plan ddpg_plan(DType real) {
    return deterministic_plan(real, "ddpg/ddpg", 1);
}
inline Plan td3_plan(DType real) {
    return deterministic_plan(real, "td3/td3", 2);
}
inline Plan td3_bc_plan(DType real) {
    return deterministic_plan(real, "td3_bc/td3_bc", 2);
}

inline Plan bc_plan(DType real) {
    Plan plan = a2c_plan(real);
    plan.objective = "bc/bc";
    return plan;
}

inline Plan iql_plan(DType real) {
    Plan plan = sac_plan(real);
    plan.objective = "iql/iql";
    plan.networks.push_back({.role = "value", .component = "mlp/value", .options = kBody});
    return plan;
}

}  // namespace tenon::test
