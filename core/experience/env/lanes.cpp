// SPDX-License-Identifier: Apache-2.0
#include "experience/env/lanes.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "experience/env/lanes_state.hpp"
#include "experience/replay/device_parts.hpp"

namespace tenon {
namespace {

std::vector<FinalColumn> finals_of(const Composite& specs, const ColumnTable& columns) {
    std::vector<FinalColumn> out;
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kObservation) {
            out.push_back({.view = *columns.find(spec.key),
                           .final = *columns.find(next_key(spec.key)),
                           .row_bytes = static_cast<std::size_t>(spec.shape.elements()) * size_of(spec.dtype)});
        }
    }
    return out;
}

// The reward that is summed to an episode's return: "reward", or else the first one.
const Spec& first_reward(const Composite& specs) {
    const Spec* reward = specs.find("reward");
    for (const Spec& spec : specs.specs) {
        if (spec.role == Role::kReward && (reward == nullptr || reward->role != Role::kReward)) {
            reward = &spec;
        }
    }
    return *reward;
}

}  // namespace

Lanes::Lanes(std::unique_ptr<State> state) : state_(std::move(state)) {}
Lanes::Lanes(Lanes&&) noexcept = default;
Lanes& Lanes::operator=(Lanes&&) noexcept = default;
Lanes::~Lanes() = default;

std::uint32_t Lanes::count() const {
    return state_->lanes;
}
const std::string& Lanes::name() const {
    return state_->env.env().name;
}
const EnvInfo& Lanes::env_info() const {
    return state_->info;
}
const Composite& Lanes::specs() const {
    return state_->sides.back();
}

Status Lanes::read_options(const std::vector<LiveOption>& options, const std::vector<double>& first) {
    return state_->options.begin(state_->env, options, first);
}

void Lanes::follow_values(std::span<const double> present) {
    state_->options.follow(present);
}

std::span<const double> Lanes::rewards() const {
    return state_->summed.latest();
}

std::span<const std::uint8_t> Lanes::lost() const {
    return state_->lost;
}

const DeviceEnv* Lanes::on_device() const {
    return state_->on_device.get();
}

std::uint32_t Lanes::running() const {
    if (state_->storage == nullptr) {
        return state_->lanes;
    }
    const auto parked = state_->storage->parked();
    return static_cast<std::uint32_t>(std::count(parked.begin(), parked.end(), std::uint8_t{0}));
}

Problems Lanes::take_warnings() {
    return std::exchange(state_->warnings, {});
}

void Lanes::need_all() {
    state_->faults.all_needed = true;
}

Problems Lanes::take_notices() {
    return std::exchange(state_->notices, {});
}

void Lanes::measure(Profile* profile) {
    state_->profile = profile;
}

void Lanes::trust() {
    state_->finite.trust();
}

Result<Lanes> Lanes::make(EnvStack env, std::vector<Callee<tn_transform_api>> transforms, std::uint32_t lanes,
                          Pool& pool) {
    if (lanes == 0) {
        return input_problem(env.env().name + " needs at least 1 lane", env.env().place);
    }
    auto state = std::make_unique<State>();
    state->env = std::move(env);
    state->transforms = std::move(transforms);
    state->lanes = lanes;
    state->pool = &pool;
    EnvInfo info = TENON_TRY(state->env.describe());
    state->info = std::move(info);
    TENON_TRY(state->summed.choose(first_reward(state->info.specs), state->env.outermost()));
    state->summed.resize(lanes);
    state->sides.push_back(state->info.specs);
    for (const Callee<tn_transform_api>& transform : state->transforms) {
        state->sides.push_back(TENON_TRY(describe_transform(transform, state->sides.back())));
    }
    state->faults.resize(lanes, state->env.env());
    state->done.assign(lanes, 0);
    state->cut.assign(lanes, 0);
    state->needs_reset.assign(lanes, 0);
    state->lost.assign(lanes, 0);
    state->lost_by_status.lanes.assign(lanes, 0);
    const auto is_apart = [](const auto& each) { return each.lost != nullptr; };
    state->apart =
        std::ranges::any_of(state->env.layers(), is_apart) || std::ranges::any_of(state->transforms, is_apart);
    return Lanes(std::move(state));
}

Result<Lanes> Lanes::make(Instance env, std::vector<Instance> wrappers, std::vector<Instance> transforms,
                          std::uint32_t lanes, Pool& pool, std::shared_ptr<Device> device) {
    auto callee = Callee<tn_env_api>::of(env, "tenon.env/1");
    const auto* const kernels = env.interface<tn_device_env_api>("tenon.device_env/1");
    std::unique_ptr<DeviceEnv> on_device;
    if (device != nullptr && device->parts != nullptr && kernels != nullptr && lanes > 0) {
        on_device = TENON_TRY(device->parts->make_env(callee, kernels, device, lanes));
        callee = on_device->callee();
    }
    Result<Lanes> out = make_around(callee, nullptr, std::move(wrappers), std::move(transforms), lanes, pool);
    if (out) {
        out->state_->device = std::move(device);
        out->state_->instances.push_back(std::move(env));
        out->state_->on_device = std::move(on_device);
    }
    return out;
}

Result<Lanes> Lanes::make(std::unique_ptr<EnvTasks> tasks, std::vector<Instance> wrappers,
                          std::vector<Instance> transforms, std::uint32_t lanes, Pool& pool) {
    Result<Lanes> out =
        make_around(tasks->callee(), tasks.get(), std::move(wrappers), std::move(transforms), lanes, pool);
    if (out) {
        out->state_->tasks = std::move(tasks);
    }
    return out;
}

Result<Lanes> Lanes::make_around(const Callee<tn_env_api>& env, const EnvTasks* tasks, std::vector<Instance> wrappers,
                                 std::vector<Instance> transforms, std::uint32_t lanes, Pool& pool) {
    auto around = mapped<WrapperCallee>(wrappers, [&](const Instance& wrapper) { return WrapperCallee::of(wrapper); });
    EnvStack stack = TENON_TRY(EnvStack::make(env, std::move(around), lanes, tasks));
    auto callees = mapped<Callee<tn_transform_api>>(transforms, [&](const Instance& transform) {
        return Callee<tn_transform_api>::of(transform, "tenon.transform/1");
    });
    Result<Lanes> out = make(std::move(stack), std::move(callees), lanes, pool);
    if (out) {
        std::vector<Instance>& instances = out->state_->instances;  // a wrapper goes before what it wraps
        instances = std::move(transforms);
        std::move(wrappers.rbegin(), wrappers.rend(), std::back_inserter(instances));
    }
    return out;
}

Status Lanes::sum(std::string_view key) {
    const std::size_t dot = std::min(key.rfind('.'), key.size());
    const std::string_view number = key.substr(std::min(dot + 1, key.size()));
    const Spec* const of_group = env_info().specs.find(key.substr(0, dot));
    std::int64_t agent = 0;
    if (of_group != nullptr && of_group->role == Role::kReward && !of_group->group.empty() &&
        std::from_chars(number.begin(), number.end(), agent).ptr == number.end() && !number.empty()) {
        const std::int64_t agents = of_group->shape[0];
        if (agent >= 0 && agent < agents) {
            return state_->summed.choose(*of_group, state_->env.outermost(), agent);
        }
        return input_problem("returns cannot be sums of '" + std::string(key) + "': the agents of '" + of_group->group +
                             "' have the numbers 0 to " + std::to_string(agents - 1));
    }
    std::vector<std::string_view> rewards;
    for (const Spec& spec : env_info().specs.specs) {
        if (spec.role == Role::kReward) {
            rewards.emplace_back(spec.key);
        }
    }
    if (std::ranges::find(rewards, key) == rewards.end()) {
        const Spec* const made = specs().find(key);
        const bool by_transforms = made != nullptr && made->role == Role::kReward;
        return input_problem("returns cannot be sums of '" + std::string(key) + "': " +
                             (by_transforms
                                  ? "a transform makes this column, and returns are sums of rewards of " + name()
                                  : "it is no reward of " + name() + did_you_mean(key, rewards)) +
                             " (rewards: " + listed(rewards) + ")");
    }
    return state_->summed.choose(*env_info().specs.find(key), state_->env.outermost());
}

Status Lanes::sum_groups() {
    state_->by_group.clear();
    for (const std::string_view group : groups_with_rewards(env_info().specs)) {
        SummedReward& summed = state_->by_group.emplace_back();
        const auto is_its = [&](const Spec& spec) { return spec.role == Role::kReward && spec.group == group; };
        TENON_TRY(summed.choose(*std::ranges::find_if(env_info().specs.specs, is_its), state_->env.outermost()));
        summed.resize(state_->lanes);
    }
    return {};
}

std::span<const double> Lanes::rewards_of_group(std::size_t group) const {
    return state_->by_group[group].latest();
}

const std::string& Lanes::summed() const {
    return state_->summed.key();
}

Status Lanes::bind(Storage& storage) {
    State& state = *state_;
    if (storage.lanes() != state.lanes) {
        return input_problem("a storage of " + counted(storage.lanes(), "lane") + " does not fit the " +
                             counted(state.lanes, "lane") + " of " + name());
    }
    LaneColumns columns = TENON_TRY(lay_out(state.sides, state.transforms, storage));
    // Keep the old columns until the plugins have been given the new ones.
    const LaneColumns before = std::exchange(state.columns, std::move(columns));
    state.storage = &storage;
    state.summed.bind(state.columns.sides[0], storage);
    for (SummedReward& of_group : state.by_group) {
        of_group.bind(state.columns.sides[0], storage);
    }
    state.frozen.bind(specs(), storage);
    state.finals.clear();
    for (std::size_t side = 0; side < state.sides.size(); ++side) {
        state.finals.push_back(finals_of(state.sides[side], state.columns.sides[side]));
    }
    state.finite.bind({.env = &state.env, .transforms = state.transforms}, state.sides, state.columns, storage);
    state.masks.bind(specs(), state.columns.sides.back(), storage);
    return state.bind_plugins();
}

Status Lanes::State::bind_plugins() {
    env_buffers = {.struct_size = sizeof env_buffers,
                   .flags = 0,
                   .slots = storage->slots(),
                   .lanes = lanes,
                   .columns = columns.sides[0].data(),
                   .column_count = columns.sides[0].size(),
                   .lane_status = faults.status.data(),
                   .needs_reset = needs_reset.data()};
    TENON_TRY(env.outcome(env.call("bind", env.outermost().api->bind, &env_buffers), "bind"));
    transform_buffers.resize(transforms.size());
    for (std::size_t i = 0; i < transforms.size(); ++i) {
        const ColumnTable& inner = columns.sides[i];
        const ColumnTable& outer = columns.sides[i + 1];
        transform_buffers[i] = {.struct_size = sizeof(tn_transform_buffers),
                                .flags = 0,
                                .slots = storage->slots(),
                                .lanes = lanes,
                                .inner = inner.data(),
                                .inner_count = inner.size(),
                                .outer = outer.data(),
                                .outer_count = outer.size()};
        TENON_TRY(transforms[i].call("bind", transforms[i].api->bind, &transform_buffers[i]));
    }
    return {};
}

}  // namespace tenon
