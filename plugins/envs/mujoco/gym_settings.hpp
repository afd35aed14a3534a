// SPDX-License-Identifier: Apache-2.0
// The options of Gymnasium's v5 tasks. A task lists those it has; their names and defaults are Gymnasium's.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "renderer.hpp"
#include "tenon/options.hpp"

namespace physics {

struct GymSettings : PictureSettings {
    tenon::FileOrName model;
    std::string dtype;
    bool infos;
    std::int64_t frame_skip, max_episode_steps;

    double forward_reward_weight, ctrl_cost_weight, contact_cost_weight, healthy_reward;
    double uph_cost_weight, impact_cost_weight;
    double reward_dist_weight, reward_near_weight, reward_control_weight;
    double reset_noise_scale;
    // Two ends each; empty where the task has no such option.
    std::vector<double> healthy_state_range, healthy_z_range, healthy_angle_range;
    std::vector<double> contact_force_range, contact_cost_range, impact_cost_range;
    bool terminate_when_unhealthy;
    bool exclude_current_positions_from_observation;
    bool include_cinert_in_observation, include_cvel_in_observation, include_qfrc_actuator_in_observation,
        include_cfrc_ext_in_observation;
    std::string main_body;
};

using tenon::option;

// The options that every task has.
template <std::int64_t kFrameSkip, std::int64_t kSteps>
constexpr auto gym_options = std::tuple_cat(
    std::tuple{
        option<&GymSettings::model>("model", "",
                                    "an MJCF file instead of the task's own in the Python package gymnasium; a name "
                                    "without '/' is one of the package's"),
        option<&GymSettings::frame_skip>("frame_skip", kFrameSkip, "[1,1000000]", "steps of MuJoCo in a step"),
        option<&GymSettings::dtype>("dtype", "float32", "float32|float64", "of observation, reward and infos"),
        option<&GymSettings::infos>("infos", false, "write Gymnasium's infos as extra columns 'info.NAME'"),
        option<&GymSettings::max_episode_steps>("max_episode_steps", kSteps, "[0,inf)", "time limit; 0: none")},
    picture_options<480, 480>);

consteval auto forward_reward_weight(double standard) {
    return option<&GymSettings::forward_reward_weight>("forward_reward_weight", standard, "",
                                                       "of the velocity in the reward");
}
consteval auto ctrl_cost_weight(double standard) {
    return option<&GymSettings::ctrl_cost_weight>("ctrl_cost_weight", standard, "", "of the sum of squared actions");
}
consteval auto contact_cost_weight(double standard) {
    return option<&GymSettings::contact_cost_weight>("contact_cost_weight", standard, "",
                                                     "of the sum of squared contact forces");
}
consteval auto healthy_reward(double standard) {
    return option<&GymSettings::healthy_reward>("healthy_reward", standard, "",
                                                "of a step that ends within the healthy ranges");
}
consteval auto reward_dist_weight(double standard) {
    return option<&GymSettings::reward_dist_weight>("reward_dist_weight", standard, "", "of the distance to the goal");
}
consteval auto reward_near_weight(double standard) {
    return option<&GymSettings::reward_near_weight>("reward_near_weight", standard, "",
                                                    "of the distance from the hand to the object");
}
consteval auto reward_control_weight(double standard) {
    return option<&GymSettings::reward_control_weight>("reward_control_weight", standard, "",
                                                       "of the sum of squared actions");
}
consteval auto reset_noise_scale(double standard) {
    return option<&GymSettings::reset_noise_scale>("reset_noise_scale", standard, "[0,inf)",
                                                   "of the noise on the initial positions and velocities");
}
consteval auto exclude_positions() {
    return option<&GymSettings::exclude_current_positions_from_observation>(
        "exclude_current_positions_from_observation", true, "leave the coordinates in the plane out");
}
consteval auto terminate_when_unhealthy() {
    return option<&GymSettings::terminate_when_unhealthy>("terminate_when_unhealthy", true,
                                                          "end an episode that leaves the healthy ranges");
}
consteval auto include_cfrc_ext() {
    return option<&GymSettings::include_cfrc_ext_in_observation>("include_cfrc_ext_in_observation", true,
                                                                 "observe the forces of contacts on the bodies");
}

// Options have finite defaults: an end that Gymnasium has at infinity is here.
constexpr double kFar = 1e300;

}  // namespace physics
