// SPDX-License-Identifier: Apache-2.0
// Humanoid-v5 and HumanoidStandup-v5 of Gymnasium 1.4: walk forward, and stand up from lying.
#pragma once

#include "gym_task.hpp"
#include "numpy_sums.hpp"

namespace physics {

struct Humanoid {
    static constexpr auto kObserved =
        std::tuple{exclude_positions(),
                   option<&GymSettings::include_cinert_in_observation>("include_cinert_in_observation", true,
                                                                       "observe the inertias of the bodies"),
                   option<&GymSettings::include_cvel_in_observation>("include_cvel_in_observation", true,
                                                                     "observe the velocities of the bodies"),
                   option<&GymSettings::include_qfrc_actuator_in_observation>(
                       "include_qfrc_actuator_in_observation", true, "observe the forces of the actuators"),
                   include_cfrc_ext()};
    static constexpr auto kOptions = std::tuple_cat(
        gym_options<5, 1000>,
        std::tuple{forward_reward_weight(1.25), ctrl_cost_weight(0.1), contact_cost_weight(5e-7),
                   option<&GymSettings::contact_cost_range>("contact_cost_range", {-kFar, 10}, "",
                                                            "at which the cost of contacts is cut off"),
                   healthy_reward(5), terminate_when_unhealthy(),
                   option<&GymSettings::healthy_z_range>("healthy_z_range", {1, 2}, "", "of the torso's height"),
                   reset_noise_scale(1e-2)},
        kObserved);

    // The bodies without the world, and the joints without the free one.
    static std::span<const double> bodies(const Scene& scene, const mjtNum* values, std::size_t each) {
        return {values + each, each * static_cast<std::size_t>(scene.model.nbody - 1)};
    }
    static std::size_t observed(const GymSettings& options, const mjModel& model) {
        const auto count = static_cast<std::size_t>(model.nbody - 1);
        return static_cast<std::size_t>(model.nq + model.nv) - left_out(options, 2) +
               (options.include_cinert_in_observation ? 10 * count : 0) +
               (options.include_cvel_in_observation ? 6 * count : 0) +
               (options.include_qfrc_actuator_in_observation ? static_cast<std::size_t>(model.nv - 6) : 0) +
               (options.include_cfrc_ext_in_observation ? 6 * count : 0);
    }
    static void start(const GymSettings& options, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        add_uniform(rng, options.reset_noise_scale, qpos);
        add_uniform(rng, options.reset_noise_scale, qvel);
    }
    static void observe(const Scene& scene, double* out) {
        out = append(scene.qvel(), append(scene.qpos().subspan(left_out(scene.options, 2)), out));
        if (scene.options.include_cinert_in_observation) {
            out = append(bodies(scene, scene.data.cinert, 10), out);
        }
        if (scene.options.include_cvel_in_observation) {
            out = append(bodies(scene, scene.data.cvel, 6), out);
        }
        if (scene.options.include_qfrc_actuator_in_observation) {
            out = append({scene.data.qfrc_actuator + 6, static_cast<std::size_t>(scene.model.nv - 6)}, out);
        }
        if (scene.options.include_cfrc_ext_in_observation) {
            append(bodies(scene, scene.data.cfrc_ext, 6), out);
        }
    }

    // The centre of mass in the plane.
    static Watched watch(const Scene& scene) {
        Watched sum = {};
        const auto count = static_cast<std::size_t>(scene.model.nbody);
        for (std::size_t body = 0; body < count; ++body) {
            for (std::size_t i = 0; i < sum.size(); ++i) {
                sum[i] += scene.model.body_mass[body] * scene.data.xipos[3 * body + i];
            }
        }
        const double mass = sum_of<double>({scene.model.body_mass, count}, [](double x) { return x; });
        return {sum[0] / mass, sum[1] / mass};
    }

    static double control_cost(const Scene& scene) {
        return scene.options.ctrl_cost_weight *
               sum_of_squares<double>({scene.data.ctrl, static_cast<std::size_t>(scene.model.nu)});
    }
    static double contact_forces(const Scene& scene) {
        return sum_of_squares<double>({scene.data.cfrc_ext, 6 * static_cast<std::size_t>(scene.model.nbody)});
    }

    static constexpr std::array<std::string_view, 9> kInfos = {"x_position",     "y_position",  "distance_from_origin",
                                                               "x_velocity",     "y_velocity",  "reward_survive",
                                                               "reward_forward", "reward_ctrl", "reward_contact"};
    static Judgement judge(const Scene& scene, std::span<const float> /*action*/, const Watched& before,
                           const Watched& after, double* infos) {
        const double x_velocity = (after[0] - before[0]) / scene.dt();
        const double y_velocity = (after[1] - before[1]) / scene.dt();
        const double forward = scene.options.forward_reward_weight * x_velocity;
        const bool healthy = is_inside(scene.data.qpos[2], scene.options.healthy_z_range);
        const double survive = healthy ? scene.options.healthy_reward : 0;
        const double control = control_cost(scene);
        const std::vector<double>& range = scene.options.contact_cost_range;
        const double contact =
            std::clamp(scene.options.contact_cost_weight * contact_forces(scene), range[0], range[1]);
        append_place(scene, infos);
        append(std::array{x_velocity, y_velocity, survive, forward, -control, -contact}, infos + 3);
        return {.reward = forward + survive - (control + contact),
                .terminated = !healthy && scene.options.terminate_when_unhealthy};
    }

    static constexpr GymTask kTask = {.file = "humanoid.xml",
                                      .infos = kInfos,
                                      .tendons = true,
                                      .contact_forces = true,
                                      .observed = observed,
                                      .start = start,
                                      .watch = watch,
                                      .observe = observe,
                                      .judge = judge,
                                      .introduce = append_place};
};

struct HumanoidStandup {
    static constexpr auto kOptions =
        std::tuple_cat(gym_options<5, 1000>,
                       std::tuple{option<&GymSettings::uph_cost_weight>(
                                      "uph_cost_weight", 1, "", "as in Gymnasium, which does not use it either"),
                                  ctrl_cost_weight(0.1),
                                  option<&GymSettings::impact_cost_weight>("impact_cost_weight", 0.5e-6, "",
                                                                           "of the sum of squared contact forces"),
                                  option<&GymSettings::impact_cost_range>("impact_cost_range", {-kFar, 10}, "",
                                                                          "at which the cost of contacts is cut off"),
                                  reset_noise_scale(1e-2)},
                       Humanoid::kObserved);

    static constexpr std::array<std::string_view, 6> kInfos = {
        "x_position", "y_position", "z_distance_from_origin", "reward_linup", "reward_quadctrl", "reward_impact"};
    static void introduce(const Scene& scene, double* infos) {
        append(std::array{scene.data.qpos[0], scene.data.qpos[1], scene.data.qpos[2] - scene.model.qpos0[2]}, infos);
    }
    static Judgement judge(const Scene& scene, std::span<const float> /*action*/, const Watched& /*before*/,
                           const Watched& /*after*/, double* infos) {
        const double height = scene.data.qpos[2] / scene.model.opt.timestep;
        const double control = Humanoid::control_cost(scene);
        const std::vector<double>& range = scene.options.impact_cost_range;
        const double impact =
            std::clamp(scene.options.impact_cost_weight * Humanoid::contact_forces(scene), range[0], range[1]);
        introduce(scene, infos);
        append(std::array{height, -control, -impact}, infos + 3);
        return {.reward = height - control - impact + 1};
    }

    static constexpr GymTask kTask = [] {
        GymTask task = Humanoid::kTask;
        task.file = "humanoidstandup.xml";
        task.infos = kInfos;
        task.watch = [](const Scene&) { return Watched{}; };
        task.judge = judge;
        task.introduce = introduce;
        return task;
    }();
};

}  // namespace physics
