// SPDX-License-Identifier: Apache-2.0
// HalfCheetah-v5 of Gymnasium 1.4: run forward on two legs in a plane.
#pragma once

#include "gym_task.hpp"
#include "numpy_sums.hpp"

namespace physics {

struct HalfCheetah {
    static constexpr auto kOptions = std::tuple_cat(
        gym_options<5, 1000>,
        std::tuple{forward_reward_weight(1), ctrl_cost_weight(0.1), reset_noise_scale(0.1), exclude_positions()});

    static std::size_t observed(const GymSettings& options, const mjModel& model) {
        return static_cast<std::size_t>(model.nq + model.nv) - left_out(options, 1);
    }
    static void start(const GymSettings& options, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        add_uniform(rng, options.reset_noise_scale, qpos);
        add_normal(rng, options.reset_noise_scale, qvel);
    }
    static Watched watch(const Scene& scene) { return {scene.data.qpos[0], 0}; }
    static void observe(const Scene& scene, double* out) {
        append(scene.qvel(), append(scene.qpos().subspan(left_out(scene.options, 1)), out));
    }

    static constexpr std::array<std::string_view, 4> kInfos = {"x_position", "x_velocity", "reward_forward",
                                                               "reward_ctrl"};
    static void introduce(const Scene& scene, double* infos) { infos[0] = scene.data.qpos[0]; }
    // Gymnasium multiplies float32 actions by a Python number, which gives a float32 cost.
    static Judgement judge(const Scene& scene, std::span<const float> action, const Watched& before,
                           const Watched& after, double* infos) {
        const double velocity = (after[0] - before[0]) / scene.dt();
        const double forward = scene.options.forward_reward_weight * velocity;
        const float cost = static_cast<float>(scene.options.ctrl_cost_weight) * sum_of_squares(action);
        append(std::array{after[0], velocity, forward, -double{cost}}, infos);
        return {.reward = forward - cost};
    }

    static constexpr GymTask kTask = {.file = "half_cheetah.xml",
                                      .infos = kInfos,
                                      .observed = observed,
                                      .start = start,
                                      .watch = watch,
                                      .observe = observe,
                                      .judge = judge,
                                      .introduce = introduce};
};

}  // namespace physics
