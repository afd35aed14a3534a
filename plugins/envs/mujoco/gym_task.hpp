// SPDX-License-Identifier: Apache-2.0
// A task of Gymnasium as data: its model, and what it observes and rewards. gym_env.hpp steps it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "gym_settings.hpp"
#include "numpy_sums.hpp"
#include "simulator.hpp"
#include "tenon/random.hpp"

namespace physics {

// One lane, as a task reads it.
struct Scene {
    const GymSettings& options;
    const mjModel& model;
    const mjData& data;
    std::array<int, 3> bodies;  // those that the task names

    [[nodiscard]] std::span<const double> qpos() const { return physics::qpos(model, data); }
    [[nodiscard]] std::span<const double> qvel() const { return physics::qvel(model, data); }
    [[nodiscard]] double dt() const { return model.opt.timestep * static_cast<double>(options.frame_skip); }
};

// What a task reads before and after the simulator's steps, for velocities.
using Watched = std::array<double, 2>;

struct Judgement {
    double reward = 0;
    bool terminated = false;
};

struct GymTask {
    const char* file;                         // the model, in gymnasium/envs/mujoco/assets
    std::array<const char*, 3> bodies = {};   // that the task reads, by name
    std::span<const std::string_view> infos;  // their names, in the order of `infos` below
    bool tendons = false;                     // whether lengths and velocities of tendons are infos too
    bool contact_forces = false;              // whether it reads cfrc_ext
    double camera_distance = 0;               // of the free camera, if no camera is called 'track'; 0: the extent
    std::size_t (*observed)(const GymSettings& options, const mjModel& model);  // number of observed elements

    // The initial state: qpos and qvel come as the model's own.
    void (*start)(const GymSettings& options, tenon::Rng& rng, std::span<double> qpos, std::span<double> qvel);
    Watched (*watch)(const Scene& scene) = [](const Scene&) { return Watched{}; };
    void (*observe)(const Scene& scene, double* out);
    Judgement (*judge)(const Scene& scene, std::span<const float> action, const Watched& before, const Watched& after,
                       double* infos);
    // The infos that a reset gives; the others are 0 then.
    void (*introduce)(const Scene& scene, double* infos) = [](const Scene&, double*) {};
};

inline void add_uniform(tenon::Rng& rng, double scale, std::span<double> values) {
    for (double& value : values) {
        value += rng.uniform(-scale, scale);
    }
}
inline void add_normal(tenon::Rng& rng, double scale, std::span<double> values) {
    for (double& value : values) {
        value += scale * rng.normal();
    }
}

// The elements that Gymnasium's options leave out or in.
inline std::size_t left_out(const GymSettings& options, std::size_t coordinates) {
    return options.exclude_current_positions_from_observation ? coordinates : 0;
}

inline bool is_inside(double value, const std::vector<double>& range) {
    return range.empty() || (range[0] < value && value < range[1]);
}

inline double* append(std::span<const double> values, double* out) {
    return std::ranges::copy(values, out).out;
}

// The infos x_position, y_position and distance_from_origin.
inline void append_place(const Scene& scene, double* infos) {
    append(std::array{scene.data.qpos[0], scene.data.qpos[1], norm(scene.qpos().first(2))}, infos);
}

// Within -10 and 10, as some tasks cut off what they observe.
inline double* append_clipped(std::span<const double> values, double* out) {
    return std::ranges::transform(values, out, [](double x) { return std::clamp(x, -10.0, 10.0); }).out;
}

}  // namespace physics
