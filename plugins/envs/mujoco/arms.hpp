// SPDX-License-Identifier: Apache-2.0
// Reacher-v5 and Pusher-v5 of Gymnasium 1.4: an arm brings its tip, or an object, to a goal.
#pragma once

#include "gym_task.hpp"
#include "numpy_sums.hpp"

namespace physics {

inline std::array<double, 3> place_of(const Scene& scene, int body) {
    const mjtNum* const place = scene.data.xpos + std::ptrdiff_t{3} * body;
    return {place[0], place[1], place[2]};
}
inline std::array<double, 3> from_to(const std::array<double, 3>& from, const std::array<double, 3>& to) {
    return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}
inline float arm_control(const Scene& scene, std::span<const float> action) {
    return -sum_of_squares(action) * static_cast<float>(scene.options.reward_control_weight);
}

struct Reacher {
    static constexpr auto kOptions =
        std::tuple_cat(gym_options<2, 50>, std::tuple{reward_dist_weight(1), reward_control_weight(1)});

    static std::size_t observed(const GymSettings& /*options*/, const mjModel& model) {
        return static_cast<std::size_t>(4 + model.nq - 2 + 2 + 2);
    }
    static void start(const GymSettings& /*options*/, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        add_uniform(rng, 0.1, qpos);
        const std::span<double> goal = qpos.last(2);
        do {
            goal[0] = rng.uniform(-0.2, 0.2);
            goal[1] = rng.uniform(-0.2, 0.2);
        } while (norm(goal) >= 0.2);
        add_uniform(rng, 0.005, qvel.first(qvel.size() - 2));
    }
    static std::array<double, 3> way(const Scene& scene) {
        return from_to(place_of(scene, scene.bodies[1]), place_of(scene, scene.bodies[0]));
    }
    static void observe(const Scene& scene, double* out) {
        const std::span<const double> angles = scene.qpos().first(2);
        out = std::ranges::transform(angles, out, [](double x) { return std::cos(x); }).out;
        out = std::ranges::transform(angles, out, [](double x) { return std::sin(x); }).out;
        out = append(scene.qvel().first(2), append(scene.qpos().subspan(2), out));
        const std::array<double, 3> target = way(scene);
        append(std::span(target).first(2), out);
    }

    static constexpr std::array<std::string_view, 2> kInfos = {"reward_dist", "reward_ctrl"};
    static Judgement judge(const Scene& scene, std::span<const float> action, const Watched& /*before*/,
                           const Watched& /*after*/, double* infos) {
        const double distance = -norm(way(scene)) * scene.options.reward_dist_weight;
        const float control = arm_control(scene, action);
        append(std::array{distance, double{control}}, infos);
        return {.reward = distance + control};
    }

    static constexpr GymTask kTask = {.file = "reacher.xml",
                                      .bodies = {"fingertip", "target"},
                                      .infos = kInfos,
                                      .observed = observed,
                                      .start = start,
                                      .observe = observe,
                                      .judge = judge};
};

struct Pusher {
    static constexpr auto kOptions = std::tuple_cat(
        gym_options<5, 100>, std::tuple{reward_near_weight(0.5), reward_dist_weight(1), reward_control_weight(0.1)});

    static std::size_t observed(const GymSettings& /*options*/, const mjModel& /*model*/) { return 7 + 7 + 3 * 3; }
    // The object begins somewhere away from the goal, which is in the middle.
    static void start(const GymSettings& /*options*/, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel) {
        const std::span<double> object = qpos.last(4).first(2);
        do {
            object[0] = rng.uniform(-0.3, 0);
            object[1] = rng.uniform(-0.2, 0.2);
        } while (norm(object) <= 0.17);
        std::ranges::fill(qpos.last(2), 0.0);
        add_uniform(rng, 0.005, qvel.first(qvel.size() - 4));
    }
    static void observe(const Scene& scene, double* out) {
        out = append(scene.qvel().first(7), append(scene.qpos().first(7), out));
        for (const int body : scene.bodies) {
            out = append(place_of(scene, body), out);
        }
    }

    static constexpr std::array<std::string_view, 3> kInfos = {"reward_dist", "reward_ctrl", "reward_near"};
    static Judgement judge(const Scene& scene, std::span<const float> action, const Watched& /*before*/,
                           const Watched& /*after*/, double* infos) {
        const std::array<double, 3> tip = place_of(scene, scene.bodies[0]);
        const std::array<double, 3> object = place_of(scene, scene.bodies[1]);
        const std::array<double, 3> goal = place_of(scene, scene.bodies[2]);
        const double near = -norm(from_to(tip, object)) * scene.options.reward_near_weight;
        const double distance = -norm(from_to(goal, object)) * scene.options.reward_dist_weight;
        const float control = arm_control(scene, action);
        append(std::array{distance, double{control}, near}, infos);
        return {.reward = distance + control + near};
    }

    static constexpr GymTask kTask = {.file = "pusher_v5.xml",
                                      .bodies = {"tips_arm", "object", "goal"},
                                      .infos = kInfos,
                                      .camera_distance = 4,
                                      .observed = observed,
                                      .start = start,
                                      .observe = observe,
                                      .judge = judge};
};

}  // namespace physics
