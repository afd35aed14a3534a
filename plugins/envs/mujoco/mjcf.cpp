// SPDX-License-Identifier: Apache-2.0
#include "mjcf.hpp"

#include <utility>

namespace physics {
namespace {

int find_key(const mjModel& model, const std::string& wanted) {
    if (wanted.empty()) {
        return -1;
    }
    const int key = find_object(model, mjOBJ_KEY, model.nkey, wanted);
    if (key < 0) {
        throw tenon::InvalidArgument("option 'keyframe': the model has no keyframe '" + wanted + "'; it has " +
                                     (model.nkey == 0 ? "none" : std::to_string(model.nkey) + " of them"));
    }
    return key;
}

}  // namespace

void Mjcf::setup() {
    check_version();
    Model loaded = load_model({model.path});
    key = find_key(*loaded, keyframe);
    const double dt = loaded->opt.timestep * static_cast<double>(frame_skip);
    renderer = make_renderer(loaded, {model.path}, *this, dt);
    lane = ExpressionLane::make(std::move(loaded),
                                {.observation = observation, .reward = reward, .terminated = terminated}, dt);
    noise_.resize(static_cast<std::size_t>(lane.model->nv));
}

void Mjcf::share(const Mjcf& first) {
    key = first.key;
    renderer = first.renderer;
    lane = first.lane.another();
    noise_.resize(first.noise_.size());
}

void Mjcf::reset(tenon::Rng& rng, const tenon::EnvRow& row) {
    const mjModel& physics = *lane.model;
    mjData& data = *lane.data;
    for (double& one : noise_) {
        one = rng.uniform(-qpos_noise, qpos_noise);
    }
    guarded([&] {
        if (key >= 0) {
            mj_resetDataKeyframe(&physics, &data, key);
        } else {
            mj_resetData(&physics, &data);
        }
        mj_integratePos(&physics, data.qpos, noise_.data(), 1);
    });
    for (int i = 0; i < physics.nv; ++i) {
        data.qvel[i] += rng.uniform(-qvel_noise, qvel_noise);
    }
    forward(physics, data);
    lane.begin();
    lane.show(row, dtype);
}

tenon::StepResult Mjcf::step(const tenon::EnvRow& row) {
    const tenon::StepResult result = lane.step(row.action<float>(), static_cast<int>(frame_skip));
    lane.show(row, dtype);
    return result;
}

}  // namespace physics
