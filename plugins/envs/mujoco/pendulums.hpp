// SPDX-License-Identifier: Apache-2.0
// InvertedPendulum-v5 and InvertedDoublePendulum-v5 of Gymnasium 1.4: balance one or two poles on a cart.
#pragma once

#include "gym_task.hpp"
#include "numpy_sums.hpp"

namespace physics {

struct InvertedPendulum {
    static constexpr auto kOptions = std::tuple_cat(gym_options<2, 1000>, std::tuple{reset_noise_scale(0.01)});

    static std::size_t observed(const GymSettings& /*options*/, const mjModel& model) {
        return static_cast<std::size_t>(model.nq + model.nv);
    }
    static void start(const GymSettings& options, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        add_uniform(rng, options.reset_noise_scale, qpos);
        add_uniform(rng, options.reset_noise_scale, qvel);
    }
    static void observe(const Scene& scene, double* out) { append(scene.qvel(), append(scene.qpos(), out)); }

    static constexpr std::array<std::string_view, 1> kInfos = {"reward_survive"};
    static Judgement judge(const Scene& scene, std::span<const float> /*action*/, const Watched& /*before*/,
                           const Watched& /*after*/, double* infos) {
        const auto is_finite = [](double x) { return std::isfinite(x); };
        const bool fallen = !std::ranges::all_of(scene.qpos(), is_finite) ||
                            !std::ranges::all_of(scene.qvel(), is_finite) || std::abs(scene.data.qpos[1]) > 0.2;
        infos[0] = fallen ? 0 : 1;
        return {.reward = infos[0], .terminated = fallen};
    }

    static constexpr GymTask kTask = {.file = "inverted_pendulum.xml",
                                      .infos = kInfos,
                                      .camera_distance = 2.04,
                                      .observed = observed,
                                      .start = start,
                                      .observe = observe,
                                      .judge = judge};
};

struct InvertedDoublePendulum {
    static constexpr auto kOptions =
        std::tuple_cat(gym_options<5, 1000>, std::tuple{healthy_reward(10), reset_noise_scale(0.1)});

    static std::size_t observed(const GymSettings& /*options*/, const mjModel& model) {
        return static_cast<std::size_t>(2 * model.nq - 1 + model.nv + 1);
    }
    static void start(const GymSettings& options, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        add_uniform(rng, options.reset_noise_scale, qpos);
        add_normal(rng, options.reset_noise_scale, qvel);
    }
    static void observe(const Scene& scene, double* out) {
        const std::span<const double> angles = scene.qpos().subspan(1);
        out = append(scene.qpos().first(1), out);
        out = std::ranges::transform(angles, out, [](double x) { return std::sin(x); }).out;
        out = std::ranges::transform(angles, out, [](double x) { return std::cos(x); }).out;
        append_clipped({scene.data.qfrc_constraint, 1}, append_clipped(scene.qvel(), out));
    }

    static constexpr std::array<std::string_view, 3> kInfos = {"reward_survive", "distance_penalty",
                                                               "velocity_penalty"};
    static Judgement judge(const Scene& scene, std::span<const float> /*action*/, const Watched& /*before*/,
                           const Watched& /*after*/, double* infos) {
        const double x = scene.data.site_xpos[0];
        const double y = scene.data.site_xpos[2];
        const double v1 = scene.data.qvel[1];
        const double v2 = scene.data.qvel[2];
        const bool fallen = y <= 1;
        const double distance = 0.01 * squared(x) + squared(y - 2);
        const double velocity = 1e-3 * squared(v1) + 5e-3 * squared(v2);
        const double survive = fallen ? 0 : scene.options.healthy_reward;
        append(std::array{survive, -distance, -velocity}, infos);
        return {.reward = survive - distance - velocity, .terminated = fallen};
    }

    static constexpr GymTask kTask = {.file = "inverted_double_pendulum.xml",
                                      .infos = kInfos,
                                      .observed = observed,
                                      .start = start,
                                      .observe = observe,
                                      .judge = judge};
};

}  // namespace physics
