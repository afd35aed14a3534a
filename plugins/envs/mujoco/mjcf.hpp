// SPDX-License-Identifier: Apache-2.0
// An env out of any MJCF file: what it observes and rewards, and when it ends, are expressions in the manifest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "expression_lane.hpp"
#include "renderer.hpp"
#include "tenon/env.hpp"

namespace physics {

struct Mjcf : PictureSettings {
    tenon::FilePath model;
    std::string keyframe, reward, terminated, dtype;
    std::vector<std::string> observation;
    std::int64_t frame_skip, max_episode_steps;
    double qpos_noise, qvel_noise;

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::required<&Mjcf::model>("model", "", "the MJCF file"),
            tenon::option<&Mjcf::observation>("observation", {"qpos", "qvel"}, "",
                                              "expressions whose values, one after another, are observed"),
            tenon::required<&Mjcf::reward>("reward", "", "an expression: the reward of a step"),
            tenon::option<&Mjcf::terminated>("terminated", "false", "an expression: whether a step ends the episode"),
            tenon::option<&Mjcf::frame_skip>("frame_skip", 1, "[1,1000000]", "steps of MuJoCo in a step"),
            tenon::option<&Mjcf::keyframe>(
                "keyframe", "",
                "where episodes begin: a keyframe of the model by name or number; without it, "
                "the model's initial state"),
            tenon::option<&Mjcf::qpos_noise>(
                "qpos_noise", 0, "[0,inf)",
                "the most that an initial position differs from it: metres, or radians also "
                "of a joint with a quaternion"),
            tenon::option<&Mjcf::qvel_noise>("qvel_noise", 0, "[0,inf)", "the most that an initial velocity differs"),
            tenon::option<&Mjcf::dtype>("dtype", "float32", "float32|float64", "of observation and reward"),
            tenon::option<&Mjcf::max_episode_steps>("max_episode_steps", 1000, "[0,inf)", "time limit; 0: none")},
        picture_options<480, 480>);

    void setup();
    void share(const Mjcf& first);
    [[nodiscard]] tenon::EnvSpec spec() const { return lane.spec(dtype); }
    void reset(tenon::Rng& rng, const tenon::EnvRow& row);
    tenon::StepResult step(const tenon::EnvRow& row);
    void state(tenon::Archive& archive) { lane.archive(archive); }
    [[nodiscard]] tenon::PictureSize picture() const { return renderer->open(); }
    void draw(tenon::Picture& picture) const { lane.draw(*renderer, picture); }

    ExpressionLane lane;
    std::shared_ptr<Renderer> renderer;
    int key = -1;  // the keyframe; -1: none

private:
    std::vector<double> noise_;
};

}  // namespace physics
