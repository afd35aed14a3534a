// SPDX-License-Identifier: Apache-2.0
// Hopper-v5 and Walker2d-v5 of Gymnasium 1.4: hop and walk forward in a plane without falling.
#pragma once

#include "gym_task.hpp"
#include "numpy_sums.hpp"

namespace physics {

struct Hopper {
    static constexpr auto kOptions = std::tuple_cat(
        gym_options<4, 1000>,
        std::tuple{
            forward_reward_weight(1), ctrl_cost_weight(1e-3), healthy_reward(1), terminate_when_unhealthy(),
            option<&GymSettings::healthy_state_range>("healthy_state_range", {-100, 100}, "",
                                                      "of all numbers of the state but the first two"),
            option<&GymSettings::healthy_z_range>("healthy_z_range", {0.7, kFar}, "", "of the torso's height"),
            option<&GymSettings::healthy_angle_range>("healthy_angle_range", {-0.2, 0.2}, "", "of the torso's angle"),
            reset_noise_scale(5e-3), exclude_positions()});

    static std::size_t observed(const GymSettings& options, const mjModel& model) {
        return static_cast<std::size_t>(model.nq + model.nv) - left_out(options, 1);
    }
    static void start(const GymSettings& options, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        add_uniform(rng, options.reset_noise_scale, qpos);
        add_uniform(rng, options.reset_noise_scale, qvel);
    }
    static Watched watch(const Scene& scene) { return {scene.data.qpos[0], 0}; }
    static void observe(const Scene& scene, double* out) {
        append_clipped(scene.qvel(), append(scene.qpos().subspan(left_out(scene.options, 1)), out));
    }
    static bool is_healthy(const Scene& scene) {
        const auto in_range = [&](double x) { return is_inside(x, scene.options.healthy_state_range); };
        return std::ranges::all_of(scene.qpos().subspan(2), in_range) && std::ranges::all_of(scene.qvel(), in_range) &&
               is_inside(scene.data.qpos[1], scene.options.healthy_z_range) &&
               is_inside(scene.data.qpos[2], scene.options.healthy_angle_range);
    }

    static constexpr std::array<std::string_view, 6> kInfos = {
        "x_position", "z_distance_from_origin", "x_velocity", "reward_forward", "reward_ctrl", "reward_survive"};
    static void introduce(const Scene& scene, double* infos) {
        append(std::array{scene.data.qpos[0], scene.data.qpos[1] - scene.model.qpos0[1]}, infos);
    }
    static Judgement judge(const Scene& scene, std::span<const float> action, const Watched& before,
                           const Watched& after, double* infos) {
        const double velocity = (after[0] - before[0]) / scene.dt();
        const double forward = scene.options.forward_reward_weight * velocity;
        const bool healthy = is_healthy(scene);
        const double survive = healthy ? scene.options.healthy_reward : 0;
        const float cost = static_cast<float>(scene.options.ctrl_cost_weight) * sum_of_squares(action);
        introduce(scene, infos);
        append(std::array{velocity, forward, -double{cost}, survive}, infos + 2);
        return {.reward = forward + survive - cost, .terminated = !healthy && scene.options.terminate_when_unhealthy};
    }

    static constexpr GymTask kTask = {.file = "hopper.xml",
                                      .infos = kInfos,
                                      .observed = observed,
                                      .start = start,
                                      .watch = watch,
                                      .observe = observe,
                                      .judge = judge,
                                      .introduce = introduce};
};

struct Walker2d {
    static constexpr auto kOptions = std::tuple_cat(
        gym_options<4, 1000>,
        std::tuple{
            forward_reward_weight(1), ctrl_cost_weight(1e-3), healthy_reward(1), terminate_when_unhealthy(),
            option<&GymSettings::healthy_z_range>("healthy_z_range", {0.8, 2}, "", "of the torso's height"),
            option<&GymSettings::healthy_angle_range>("healthy_angle_range", {-1, 1}, "", "of the torso's angle"),
            reset_noise_scale(5e-3), exclude_positions()});

    static constexpr GymTask kTask = [] {
        GymTask task = Hopper::kTask;
        task.file = "walker2d_v5.xml";
        return task;
    }();
};

}  // namespace physics
