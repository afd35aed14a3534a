// SPDX-License-Identifier: Apache-2.0
// One lane of a task of Gymnasium. The lanes of an instance share the model.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "gym_settings.hpp"
#include "gym_task.hpp"
#include "renderer.hpp"
#include "simulator.hpp"
#include "tenon/env.hpp"

namespace physics {

struct GymLane : GymSettings {
    explicit GymLane(const GymTask& which) : task(&which) {}

    void setup();
    void share(const GymLane& first);
    [[nodiscard]] tenon::EnvSpec spec() const;
    void reset(tenon::Rng& rng, const tenon::EnvRow& row);
    tenon::StepResult step(const tenon::EnvRow& row);
    void state(tenon::Archive& archive);
    [[nodiscard]] tenon::PictureSize picture() const { return renderer->open(); }
    void draw(tenon::Picture& picture) const { renderer->draw(*mujoco, *data, picture); }

    // Begins an episode in this state, and writes what it looks like.
    void place(std::span<const double> qpos, std::span<const double> qvel);
    void show(const tenon::EnvRow& row);

    const GymTask* task;
    Model mujoco;
    Data data;
    std::shared_ptr<Renderer> renderer;
    std::array<int, 3> bodies = {};
    Watched watched = {};

private:
    [[nodiscard]] Scene scene() const { return {*this, *mujoco, *data, bodies}; }
    void make_room();
    [[nodiscard]] mjvCamera usual_camera() const;

    bool ended_ = false;  // the episode has just ended by itself: the next reset belongs to the same step
    std::int64_t steps_ = 0;
    std::vector<double> seen_, told_, qpos_, qvel_, saved_;
};

// The env of a task, which has kTask and kOptions.
template <class Task>
struct GymEnv : GymLane {
    static constexpr auto options = Task::kOptions;
    GymEnv() : GymLane(Task::kTask) {}
};

}  // namespace physics
