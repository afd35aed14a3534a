// SPDX-License-Identifier: Apache-2.0
#include "gym_env.hpp"

#include <algorithm>

#include "find_model.hpp"

namespace physics {
namespace {

constexpr const char* kRequirement = "gymnasium>=1.0";

std::filesystem::path model_file(const tenon::FileOrName& wanted, const char* standard) {
    if (wanted.is_path()) {
        return wanted.text;
    }
    const std::string name = wanted.text.empty() ? standard : wanted.text;
    return find_in_package("gymnasium", "envs/mujoco/assets/" + name, kRequirement);
}

void check_range(const std::vector<double>& range, const char* name) {
    if (!range.empty() && (range.size() != 2 || !(range[0] <= range[1]))) {
        throw tenon::InvalidArgument(std::string(name) + " has the two ends of a range, the lower one first");
    }
}

void check_ranges(const GymSettings& options) {
    check_range(options.healthy_state_range, "healthy_state_range");
    check_range(options.healthy_z_range, "healthy_z_range");
    check_range(options.healthy_angle_range, "healthy_angle_range");
    check_range(options.contact_force_range, "contact_force_range");
    check_range(options.contact_cost_range, "contact_cost_range");
    check_range(options.impact_cost_range, "impact_cost_range");
}

// The median of the geoms' coordinates on an axis, as numpy.median computes it.
double median_place(const mjModel& model, const mjData& data, int axis) {
    std::vector<double> places;
    for (std::ptrdiff_t geom = 0; geom < model.ngeom; ++geom) {
        places.push_back(data.geom_xpos[3 * geom + axis]);
    }
    std::ranges::sort(places);
    const std::size_t half = places.size() / 2;
    return places.empty() ? 0 : places.size() % 2 != 0 ? places[half] : (places[half - 1] + places[half]) / 2;
}

void write(std::span<const double> from, bool doubles, const auto& column) {
    if (doubles) {
        std::ranges::copy(from, column.template operator()<double>().begin());
    } else {
        std::ranges::transform(from, column.template operator()<float>().begin(),
                               [](double x) { return static_cast<float>(x); });
    }
}

}  // namespace

void GymLane::setup() {
    check_version();
    check_ranges(*this);
    const ModelSource source{model_file(model, task->file)};
    mujoco = load_model(source);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies[i] = task->bodies[i] == nullptr ? 0 : body_of(*mujoco, task->bodies[i]);
    }
    if (!main_body.empty()) {
        bodies[0] = body_of(*mujoco, main_body);
    }
    make_room();
    renderer = std::make_shared<Renderer>(mujoco, source, usual_camera(), *this, scene().dt());
}

// Gymnasium's free camera looks at the middle of the geoms at its first picture; here it does of the initial state.
mjvCamera GymLane::usual_camera() const {
    if (!camera.empty() || mj_name2id(mujoco.get(), mjOBJ_CAMERA, "track") >= 0) {
        return find_camera(*mujoco, camera.empty() ? "track" : camera);
    }
    mjvCamera free{};
    mjv_defaultCamera(&free);
    free.distance = task->camera_distance > 0 ? task->camera_distance : mujoco->stat.extent;
    update_places(*mujoco, *data);
    for (int axis = 0; axis < 3; ++axis) {
        free.lookat[axis] = median_place(*mujoco, *data, axis);
    }
    return free;
}

void GymLane::share(const GymLane& first) {
    mujoco = first.mujoco;
    bodies = first.bodies;
    renderer = first.renderer;
    make_room();
}

void GymLane::make_room() {
    data = make_data(*mujoco);
    seen_.resize(task->observed(*this, *mujoco));
    told_.resize(task->infos.size());
    qpos_.resize(static_cast<std::size_t>(mujoco->nq));
    qvel_.resize(static_cast<std::size_t>(mujoco->nv));
}

tenon::EnvSpec GymLane::spec() const {
    const std::int32_t type = dtype == "float64" ? TN_F64 : TN_F32;
    tenon::EnvSpec spec{.observations = {tenon::unbounded("observation", {std::ssize(seen_)}, type)},
                        .actions = {action_spec(*mujoco)},
                        .reward = tenon::unbounded("reward", {}, type)};
    if (infos) {
        for (const std::string_view name : task->infos) {
            spec.extras.push_back(tenon::unbounded("info." + std::string(name), {}, type));
        }
        if (task->tendons && mujoco->ntendon > 0) {
            spec.extras.push_back(tenon::unbounded("info.tendon_length", {mujoco->ntendon}, type));
            spec.extras.push_back(tenon::unbounded("info.tendon_velocity", {mujoco->ntendon}, type));
        }
    }
    return spec;
}

void GymLane::reset(tenon::Rng& rng, const tenon::EnvRow& row) {
    std::copy_n(mujoco->qpos0, qpos_.size(), qpos_.begin());
    std::ranges::fill(qvel_, 0.0);
    task->start(*this, rng, qpos_, qvel_);
    place(qpos_, qvel_);
    // The infos of a step that ended an episode stay in its row.
    if (!ended_) {
        std::ranges::fill(told_, 0.0);
        task->introduce(scene(), told_.data());
    }
    ended_ = false;
    show(row);
}

void GymLane::place(std::span<const double> qpos, std::span<const double> qvel) {
    physics::place(*mujoco, *data, qpos, qvel);
    watched = task->watch(scene());
    steps_ = 0;
}

tenon::StepResult GymLane::step(const tenon::EnvRow& row) {
    const std::span<const float> action = row.action<float>();
    advance(*mujoco, *data, action, static_cast<int>(frame_skip));
    if (task->contact_forces) {
        mj_rnePostConstraint(mujoco.get(), data.get());
    }
    const Watched before = watched;
    watched = task->watch(scene());
    Judgement judgement = task->judge(scene(), action, before, watched, told_.data());
    if (is_unstable(*data)) {  // MuJoCo has reset itself within the step: its numbers are of two episodes
        judgement = {.reward = 0, .terminated = true};
    }
    show(row);
    ++steps_;
    ended_ = judgement.terminated || (max_episode_steps > 0 && steps_ >= max_episode_steps);
    return {.reward = judgement.reward, .terminated = judgement.terminated};
}

void GymLane::show(const tenon::EnvRow& row) {
    const bool doubles = dtype == "float64";
    task->observe(scene(), seen_.data());
    write(seen_, doubles, [&]<class E>() { return row.observation<E>(0); });
    for (std::size_t i = 0; infos && i < told_.size(); ++i) {
        write({&told_[i], 1}, doubles, [&]<class E>() { return row.extra<E>(i); });
    }
    if (infos && task->tendons && mujoco->ntendon > 0) {
        const auto tendons = static_cast<std::size_t>(mujoco->ntendon);
        const std::size_t first = told_.size();
        write({data->ten_length, tendons}, doubles, [&]<class E>() { return row.extra<E>(first); });
        write({data->ten_velocity, tendons}, doubles, [&]<class E>() { return row.extra<E>(first + 1); });
    }
}

void GymLane::state(tenon::Archive& archive) {
    archive(steps_, ended_, watched);
    physics::archive(archive, *mujoco, *data, saved_);
    if (archive.loading()) {
        update_places(*mujoco, *data);  // for pictures: the next step computes them anew
    }
}

}  // namespace physics
