// SPDX-License-Identifier: Apache-2.0
#include "dm_task.hpp"

#include <cmath>

#include "find_model.hpp"

namespace physics {

void DmLane::setup() {
    check_version();
    ModelSource source{.file = model.path};
    if (model.path.empty()) {
        source = {.file = find_in_package("dm_control", "suite/" + std::string(task->file), "dm_control>=1.0"),
                  .build = task->build};
    }
    Model loaded = load_model(source);
    if (task->adjust != nullptr) {
        task->adjust(const_cast<mjModel&>(*loaded));  // nobody else has it yet
    }
    if (task->control_step > 0) {
        substeps = static_cast<int>(std::lround(task->control_step / loaded->opt.timestep));
    }
    Expressions expressions = {.observation = {task->observation.begin(), task->observation.end()},
                               .reward = task->reward,
                               .terminated = "false"};
    if (task->target > 0) {
        expressions.inputs = {{"target", task->target}};
    }
    const double dt = loaded->opt.timestep * substeps;
    renderer = make_renderer(loaded, std::move(source), *this, dt);
    lane = ExpressionLane::make(std::move(loaded), expressions, dt);
    own_model();
}

void DmLane::share(const DmLane& first) {
    substeps = first.substeps;
    renderer = first.renderer;
    lane = first.lane.another();
    own_model();
}

void DmLane::own_model() {
    if (task->place != nullptr) {
        lane.model = copy_model(*lane.model);
    }
}

void DmLane::place_target() {
    if (task->place != nullptr) {
        task->place(const_cast<mjModel&>(*lane.model), lane.input(0));  // nobody else has it
    }
}

// A model of the lane's own is as `target` says, and what MuJoCo derives from both follows.
void DmLane::state(tenon::Archive& archive) {
    lane.archive(archive);
    if (archive.loading() && task->place != nullptr) {
        place_target();
        refresh(*lane.model, *lane.data);
    }
}

void DmLane::reset(tenon::Rng& rng, const tenon::EnvRow& row) {
    guarded([&] { mj_resetData(lane.model.get(), lane.data.get()); });
    task->start({*lane.model, *lane.data, rng, task->target > 0 ? lane.input(0) : std::span<double>()});
    place_target();
    forward(*lane.model, *lane.data);
    lane.begin();
    lane.show(row, dtype);
}

tenon::StepResult DmLane::step(const tenon::EnvRow& row) {
    const tenon::StepResult result = lane.step(row.action<float>(), substeps);
    lane.show(row, dtype);
    return result;
}

}  // namespace physics
