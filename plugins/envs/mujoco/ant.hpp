// SPDX-License-Identifier: Apache-2.0
// Ant-v5 of Gymnasium 1.4: walk forward on four legs.
#pragma once

#include "gym_task.hpp"
#include "numpy_sums.hpp"

namespace physics {

struct Ant {
    static constexpr auto kOptions = std::tuple_cat(
        gym_options<5, 1000>,
        std::tuple{
            forward_reward_weight(1), ctrl_cost_weight(0.5), contact_cost_weight(5e-4), healthy_reward(1),
            option<&GymSettings::main_body>("main_body", "1", "", "the body whose velocity counts, by name or number"),
            terminate_when_unhealthy(),
            option<&GymSettings::healthy_z_range>("healthy_z_range", {0.2, 1}, "", "of the torso's height"),
            option<&GymSettings::contact_force_range>("contact_force_range", {-1, 1}, "",
                                                      "at which contact forces are cut off"),
            reset_noise_scale(0.1), exclude_positions(), include_cfrc_ext()});

    static std::size_t observed(const GymSettings& options, const mjModel& model) {
        return static_cast<std::size_t>(model.nq + model.nv) - left_out(options, 2) +
               (options.include_cfrc_ext_in_observation ? 6 * static_cast<std::size_t>(model.nbody - 1) : 0);
    }
    static void start(const GymSettings& options, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        add_uniform(rng, options.reset_noise_scale, qpos);
        add_normal(rng, options.reset_noise_scale, qvel);
    }
    static Watched watch(const Scene& scene) {
        const mjtNum* const place = scene.data.xpos + std::ptrdiff_t{3} * scene.bodies[0];
        return {place[0], place[1]};
    }
    static double cut(const Scene& scene, double force) {
        return std::clamp(force, scene.options.contact_force_range[0], scene.options.contact_force_range[1]);
    }
    static void observe(const Scene& scene, double* out) {
        out = append(scene.qvel(), append(scene.qpos().subspan(left_out(scene.options, 2)), out));
        if (scene.options.include_cfrc_ext_in_observation) {
            std::transform(scene.data.cfrc_ext + 6, scene.data.cfrc_ext + std::ptrdiff_t{6} * scene.model.nbody, out,
                           [&](double force) { return cut(scene, force); });
        }
    }
    static bool is_healthy(const Scene& scene) {
        const auto is_finite = [](double x) { return std::isfinite(x); };
        const std::vector<double>& range = scene.options.healthy_z_range;
        return std::ranges::all_of(scene.qpos(), is_finite) && std::ranges::all_of(scene.qvel(), is_finite) &&
               range[0] <= scene.data.qpos[2] && scene.data.qpos[2] <= range[1];
    }

    static constexpr std::array<std::string_view, 9> kInfos = {"x_position",  "y_position",     "distance_from_origin",
                                                               "x_velocity",  "y_velocity",     "reward_forward",
                                                               "reward_ctrl", "reward_contact", "reward_survive"};
    static Judgement judge(const Scene& scene, std::span<const float> action, const Watched& before,
                           const Watched& after, double* infos) {
        const double x_velocity = (after[0] - before[0]) / scene.dt();
        const double y_velocity = (after[1] - before[1]) / scene.dt();
        const double forward = x_velocity * scene.options.forward_reward_weight;
        const bool healthy = is_healthy(scene);
        const double survive = healthy ? scene.options.healthy_reward : 0;
        const float control = static_cast<float>(scene.options.ctrl_cost_weight) * sum_of_squares(action);
        const double contact =
            scene.options.contact_cost_weight *
            sum_of_squares<double>({scene.data.cfrc_ext, 6 * static_cast<std::size_t>(scene.model.nbody)},
                                   [&](double force) { return cut(scene, force); });
        append_place(scene, infos);
        append(std::array{x_velocity, y_velocity, forward, -double{control}, -contact, survive}, infos + 3);
        return {.reward = forward + survive - (control + contact),
                .terminated = !healthy && scene.options.terminate_when_unhealthy};
    }

    static constexpr GymTask kTask = {.file = "ant.xml",
                                      .infos = kInfos,
                                      .contact_forces = true,
                                      .observed = observed,
                                      .start = start,
                                      .watch = watch,
                                      .observe = observe,
                                      .judge = judge,
                                      .introduce = append_place};
};

}  // namespace physics
