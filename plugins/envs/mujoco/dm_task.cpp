// SPDX-License-Identifier: Apache-2.0
#include "dm_task.hpp"

#include <cmath>

#include "find_model.hpp"

namespace physics {

void DmLane::setup() {
    check_version();
    std::filesystem::path file = model.path;
    if (file.empty()) {
        file = find_in_package("dm_control", "suite/" + std::string(task->file), "dm_control>=1.0");
    }
    Model loaded = load_model(file);
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
    renderer = make_renderer(loaded, *this, dt);
    lane = ExpressionLane::make(std::move(loaded), expressions, dt);
}

void DmLane::share(const DmLane& first) {
    substeps = first.substeps;
    renderer = first.renderer;
    lane = first.lane.another();
}

void DmLane::reset(tenon::Rng& rng, const tenon::EnvRow& row) {
    guarded([&] { mj_resetData(lane.model.get(), lane.data.get()); });
    task->start({*lane.model, *lane.data, rng, task->target > 0 ? lane.input(0) : std::span<double>()});
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
