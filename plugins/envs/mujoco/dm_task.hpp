// SPDX-License-Identifier: Apache-2.0
// A task of dm_control's suite as data: its model, expressions for what it observes and rewards, and how it begins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression_lane.hpp"
#include "renderer.hpp"
#include "tenon/env.hpp"

namespace physics {

// The start of an episode, after the model's initial state has been set. `input` are the numbers that the task's
// expressions know as `target`.
struct DmStart {
    const mjModel& model;
    mjData& data;
    tenon::Rng& rng;
    std::span<double> input;
};

struct DmTask {
    const char* file;     // in dm_control/suite
    double control_step;  // seconds; 0: a step of MuJoCo
    std::span<const char* const> observation;
    const char* reward;
    void (*start)(const DmStart& start);
    std::size_t target = 0;                    // length of `target`; 0: there is none
    void (*adjust)(mjModel& model) = nullptr;  // of what the suite changes in every episode to the same value
    void (*build)(mjSpec& model) = nullptr;    // of what the suite adds to the file
    // For parts of the model that differ by episode: puts `target` into the model. Each lane then has its own model.
    void (*place)(mjModel& model, std::span<const double> target) = nullptr;
};

struct DmSettings : PictureSettings {
    tenon::FilePath model;
    std::string dtype;
    std::int64_t max_episode_steps;
};

struct DmLane : DmSettings {
    explicit DmLane(const DmTask& which) : task(&which) {}

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::option<&DmSettings::model>("model", "",
                                              "an MJCF file instead of the task's own in the package dm_control"),
            tenon::option<&DmSettings::dtype>("dtype", "float32", "float32|float64", "of observation and reward"),
            tenon::option<&DmSettings::max_episode_steps>("max_episode_steps", 1000, "[0,inf)", "time limit; 0: none")},
        picture_options<320, 240>);

    void setup();
    void share(const DmLane& first);
    [[nodiscard]] tenon::EnvSpec spec() const { return lane.spec(dtype); }
    void reset(tenon::Rng& rng, const tenon::EnvRow& row);
    tenon::StepResult step(const tenon::EnvRow& row);
    void state(tenon::Archive& archive);
    void place_target();  // after `target` has been set
    [[nodiscard]] tenon::PictureSize picture() const { return renderer->open(); }
    void draw(tenon::Picture& picture) const { lane.draw(*renderer, picture); }

    const DmTask* task;
    ExpressionLane lane;
    std::shared_ptr<Renderer> renderer;
    int substeps = 1;

private:
    void own_model();
};

template <const DmTask& kTask>
struct DmEnv : DmLane {
    DmEnv() : DmLane(kTask) {}
};

}  // namespace physics
