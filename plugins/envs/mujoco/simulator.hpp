// SPDX-License-Identifier: Apache-2.0
// MuJoCo's models, states and errors in our terms. MuJoCo ends the process when it finds an error; here every error is
// an exception with MuJoCo's sentence.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/spec.hpp"
#include "tenon/state.hpp"

namespace physics {

using Model = std::shared_ptr<const mjModel>;

struct DeleteData {
    void operator()(mjData* data) const { mj_deleteData(data); }
};
using Data = std::unique_ptr<mjData, DeleteData>;

// Calls body(argument). An error of MuJoCo in it ends the call and is thrown. body must own nothing that a destructor
// would free, because the error jumps over it.
void run_guarded(void (*body)(void* argument), void* argument);

template <class Body>
void guarded(Body&& body) {
    run_guarded([](void* argument) { (*static_cast<std::remove_reference_t<Body>*>(argument))(); },
                static_cast<void*>(&body));
}

// Throws if the library that is loaded is another version than the headers that this file was compiled with.
void check_version();

// An MJCF file or a compiled .mjb. `build` changes the model of an MJCF file before it is compiled.
struct ModelSource {
    std::filesystem::path file;
    void (*build)(mjSpec& model) = nullptr;
};

// Throws with the sentence of MuJoCo, which has the line of the file. Textures that the file describes as patterns have
// one pixel: only pictures need them, and to make them takes longer than the rest (of dm_control's models, 50 ms of
// 52).
Model load_model(const ModelSource& source);
Model load_model_with_textures(const ModelSource& source);

Model copy_model(const mjModel& model);

Data make_data(const mjModel& model);

// One substep after another with the same control; `control` has an element per actuator.
void advance(const mjModel& model, mjData& data, std::span<const float> control, int substeps);

// The same, and then updates what MuJoCo derives from positions and velocities to the new state. After advance these
// values belong to the state before the last substep. Values that depend on accelerations are those of the last
// substep.
void advance_fresh(const mjModel& model, mjData& data, std::span<const float> control, int substeps);

// Computes what MuJoCo derives from the state: everything; only from positions and velocities; only where bodies are.
void forward(const mjModel& model, mjData& data);
void refresh(const mjModel& model, mjData& data);
void update_places(const mjModel& model, mjData& data);

// Back to the initial state of the model, with these positions and velocities.
void place(const mjModel& model, mjData& data, std::span<const double> qpos, std::span<const double> qvel);

// Whether MuJoCo has met a number that is not finite or is huge since the last reset. It has then reset the simulation.
inline bool is_unstable(const mjData& data) {
    return data.warning[mjWARN_BADQPOS].number + data.warning[mjWARN_BADQVEL].number +
               data.warning[mjWARN_BADQACC].number >
           0;
}

// Everything that the next step depends on, warm start of the solver included. `scratch` has room for the state.
void archive(tenon::Archive& archive, const mjModel& model, mjData& data, std::vector<double>& scratch);

inline std::span<const double> qpos(const mjModel& model, const mjData& data) {
    return {data.qpos, static_cast<std::size_t>(model.nq)};
}
inline std::span<const double> qvel(const mjModel& model, const mjData& data) {
    return {data.qvel, static_cast<std::size_t>(model.nv)};
}

// The action of a model: a number per actuator, within its control range if it has one.
tenon::Spec action_spec(const mjModel& model);

// The number of an object of which the model has `count`, by its name or by the digits of its number; -1: there is
// none.
int find_object(const mjModel& model, mjtObj type, std::int64_t count, const std::string& wanted);

// The number of a body. Throws if the model has no such body.
int body_of(const mjModel& model, const std::string& name);

}  // namespace physics
