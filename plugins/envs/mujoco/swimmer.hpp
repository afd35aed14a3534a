// SPDX-License-Identifier: Apache-2.0
// Swimmer-v5 of Gymnasium 1.4: swim forward with three links.
#pragma once

#include "gym_task.hpp"
#include "numpy_sums.hpp"

namespace physics {

struct Swimmer {
    static constexpr auto kOptions = std::tuple_cat(
        gym_options<4, 1000>,
        std::tuple{forward_reward_weight(1), ctrl_cost_weight(1e-4), reset_noise_scale(0.1), exclude_positions()});

    static std::size_t observed(const GymSettings& options, const mjModel& model) {
        return static_cast<std::size_t>(model.nq + model.nv) - left_out(options, 2);
    }
    static void start(const GymSettings& options, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        add_uniform(rng, options.reset_noise_scale, qpos);
        add_uniform(rng, options.reset_noise_scale, qvel);
    }
    static Watched watch(const Scene& scene) { return {scene.data.qpos[0], scene.data.qpos[1]}; }
    static void observe(const Scene& scene, double* out) {
        append(scene.qvel(), append(scene.qpos().subspan(left_out(scene.options, 2)), out));
    }

    static constexpr std::array<std::string_view, 7> kInfos = {"x_position", "y_position", "distance_from_origin",
                                                               "x_velocity", "y_velocity", "reward_forward",
                                                               "reward_ctrl"};
    static Judgement judge(const Scene& scene, std::span<const float> action, const Watched& before,
                           const Watched& after, double* infos) {
        const double x_velocity = (after[0] - before[0]) / scene.dt();
        const double y_velocity = (after[1] - before[1]) / scene.dt();
        const double forward = scene.options.forward_reward_weight * x_velocity;
        const float cost = static_cast<float>(scene.options.ctrl_cost_weight) * sum_of_squares(action);
        append_place(scene, infos);
        append(std::array{x_velocity, y_velocity, forward, -double{cost}}, infos + 3);
        return {.reward = forward - cost};
    }

    static constexpr GymTask kTask = {.file = "swimmer.xml",
                                      .infos = kInfos,
                                      .observed = observed,
                                      .start = start,
                                      .watch = watch,
                                      .observe = observe,
                                      .judge = judge,
                                      .introduce = append_place};
};

}  // namespace physics
