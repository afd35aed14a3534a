// SPDX-License-Identifier: Apache-2.0
#include "experience/env/env_tasks.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/data/column_table.hpp"
#include "base/data/flags.hpp"
#include "base/data/key.hpp"
#include "experience/env/joint_specs.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/host_tables.hpp"

namespace tenon {
struct EnvTasks::Task {
    std::string name;
    Callee<tn_env_api> callee;
    std::unique_ptr<InnerEnv> env;  // the callee's functions, whose failures are its own
    std::uint32_t number = 0;
    std::uint32_t first = 0;  // lane
    std::uint32_t lanes = 0;
    bool all_lanes = false;
    ColumnTable columns = {};
    tn_env_buffers buffers{};

    [[nodiscard]] std::string title() const { return "task '" + name + "'"; }
};

EnvTasks::EnvTasks(Parts parts) : parts_(std::move(parts)) {
    std::uint32_t lanes = 0;
    for (std::uint32_t i = 0; i < parts_.tasks.size(); ++i) {
        const EnvTask& given = parts_.tasks[i];
        Task task{.name = given.name,
                  .callee = Callee<tn_env_api>::of(given.env, "tenon.env/1"),
                  .env = nullptr,
                  .number = given.number,
                  .first = lanes,
                  .lanes = given.lanes};
        const Callee<tn_env_api>& callee = task.callee;
        task.env = std::make_unique<InnerEnv>(InnerEnv::Parts{.api = callee.api,
                                                              .self = callee.self,
                                                              .name = callee.name,
                                                              .place = callee.place,
                                                              .state = callee.state,
                                                              .render = callee.render},
                                              given.lanes);
        is_apart_ = is_apart_ || callee.lost != nullptr;
        lanes += given.lanes;
        task_of_.resize(lanes, i);
        tasks_.push_back(std::move(task));
    }
    lost_.lanes.assign(lanes, 0);
}

EnvTasks::~EnvTasks() = default;

Result<std::unique_ptr<EnvTasks>> EnvTasks::make(Parts parts) {
    std::unique_ptr<EnvTasks> out(new EnvTasks(std::move(parts)));
    TENON_TRY(out->describe_all());
    return out;
}

// Joins the descriptions of all tasks, and finds the column that distinguishes them.
Status EnvTasks::describe_all() {
    for (Task& task : tasks_) {
        EnvInfo info = TENON_TRY(describe_env(task.callee));
        task.all_lanes = info.all_lanes;
        if (&task == tasks_.data()) {
            info_ = std::move(info);
        } else if (Status joined = join(info, task); !joined) {
            return joined;
        }
    }
    if (!parts_.column.empty()) {
        if (info_.specs.find(parts_.column) != nullptr) {
            return input_problem(
                tasks_[0].callee.name + " already has a column '" + parts_.column + "': give another task_column",
                parts_.place);
        }
        add_column();
    }
    table_ = std::make_unique<SpecTable>(info_.specs);
    return {};
}

Status EnvTasks::join(const EnvInfo& other, const Task& task) {
    if (const std::string text = join_specs(info_.specs, tasks_[0].title(), other.specs, task.title()); !text.empty()) {
        Problem problem =
            input_problem("the tasks of an env must have the same columns, but " + text, task.callee.place);
        problem.also.push_back(tasks_[0].callee.place);
        return problem;
    }
    info_.deterministic = info_.deterministic && other.deterministic;
    info_.all_lanes = info_.all_lanes || other.all_lanes;
    const bool any_without_limit = info_.episode_limit == 0 || other.episode_limit == 0;
    info_.episode_limit = any_without_limit ? 0 : std::max(info_.episode_limit, other.episode_limit);
    return {};
}

void EnvTasks::add_column() {
    Spec spec;
    spec.key = parts_.column;
    spec.kind = SpecKind::kCategorical;
    spec.role = Role::kObservation;
    spec.dtype = DType::kI64;
    spec.categories = {parts_.categories};
    info_.specs.specs.push_back(std::move(spec));
}

Callee<tn_env_api> EnvTasks::callee() {
    const bool all_save = std::ranges::all_of(tasks_, [](const Task& task) { return task.callee.state != nullptr; });
    const bool all_draw = std::ranges::all_of(tasks_, [](const Task& task) { return task.callee.render != nullptr; });
    Callee<tn_env_api> out;
    out.api = HostTables::env<EnvTasks>();
    out.self = this;
    out.name = parts_.name;
    out.place = parts_.place;
    out.state = all_save ? HostTables::state<EnvTasks>() : nullptr;
    out.render = all_draw ? HostTables::pictures<EnvTasks>() : nullptr;
    out.lost = is_apart_ ? &lost_ : nullptr;
    return out;
}

const Callee<tn_env_api>& EnvTasks::task_of(std::uint32_t lane) const {
    return tasks_[task_of_[lane]].callee;
}

// Calls f(task, first lane within it, count) for the tasks of a range until a call fails.
template <class F>
tn_status EnvTasks::each_task(std::uint32_t first, std::uint32_t count, F&& f) {
    const std::uint32_t end = first + count;
    for (std::uint32_t lane = first; lane < end;) {
        Task& task = tasks_[task_of_[lane]];
        const std::uint32_t until = std::min(end, task.first + task.lanes);
        if (const tn_status status = f(task, lane - task.first, until - lane); status != TN_OK) {
            return status;
        }
        lane = until;
    }
    return TN_OK;
}

// Writes the column in each call, because a transform may change it in place.
void EnvTasks::write_numbers(const Task& task, const View& column, std::uint32_t slot, std::uint32_t first,
                             std::uint32_t count) const {
    if (column.data == nullptr) {
        return;
    }
    for (std::uint32_t lane = task.first + first; lane < task.first + first + count; ++lane) {
        *static_cast<std::int64_t*>(row_at(column, slot, lane)) = task.number;
    }
}

// Takes over the lanes that tasks have lost; their numbers become those among all lanes.
void EnvTasks::take_lost() {
    if (!is_apart_) {
        return;
    }
    for (const Task& task : tasks_) {
        LostLanes* const from = task.callee.lost;
        if (from == nullptr || !from->any) {
            continue;
        }
        lost_.any = true;
        for (std::uint32_t lane = 0; lane < task.lanes; ++lane) {
            lost_.lanes[task.first + lane] |= std::exchange(from->lanes[lane], std::uint8_t{0});
        }
        for (std::string& sentence : from->sentences) {
            lost_.sentences.push_back(task.title() + ": " + std::move(sentence));
        }
        from->sentences.clear();
        from->any = false;
    }
}

tn_status EnvTasks::describe(tn_env_info& info) const {
    info.determinism = info_.deterministic ? TN_DETERMINISM_BITS : TN_DETERMINISM_NONE;
    info.specs = table_->data();
    info.spec_count = table_->size();
    info.episode_limit = info_.episode_limit;
    info.flags = info_.all_lanes ? TN_ENV_ALL_LANES : 0;
    return TN_OK;
}

tn_status EnvTasks::bind(const tn_env_buffers& buffers) {
    number_ = {};
    final_number_ = {};
    for (Task& task : tasks_) {
        const ColumnTable before = std::exchange(task.columns, ColumnTable());  // until the env knows the new ones
        for (const tn_column* const column : std::span(buffers.columns, buffers.column_count)) {
            const std::string key(column->key.data, column->key.size);
            const View view = view_of(column->tensor);
            if (!parts_.column.empty() && key == parts_.column) {
                number_ = view;
            } else if (!parts_.column.empty() && key == next_key(parts_.column)) {
                final_number_ = view;
            } else {
                task.columns.add(key, view.slice(1, task.first, task.lanes));
            }
        }
        task.buffers = {.struct_size = sizeof task.buffers,
                        .flags = 0,
                        .slots = buffers.slots,
                        .lanes = task.lanes,
                        .columns = task.columns.data(),
                        .column_count = task.columns.size(),
                        .lane_status = buffers.lane_status + task.first,
                        .needs_reset = buffers.needs_reset + task.first};
        const tn_wrapper_inner& env = task.env->offer();
        if (const tn_status status = env.env->bind(env.self, &task.buffers); status != TN_OK) {
            return status;
        }
    }
    return TN_OK;
}

tn_status EnvTasks::reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds) {
    for (const Task& task : tasks_) {
        const std::uint8_t* const own_mask = mask == nullptr ? nullptr : mask + task.first;
        if (own_mask != nullptr && !any_set({own_mask, task.lanes})) {
            continue;
        }
        const tn_wrapper_inner& env = task.env->offer();
        const tn_status status =
            env.env->reset(env.self, slot, own_mask, seeds == nullptr ? nullptr : seeds + task.first);
        if (status != TN_OK) {
            return status;
        }
        for (std::uint32_t lane = 0; lane < task.lanes; ++lane) {
            if (own_mask == nullptr || own_mask[lane] != 0) {
                write_numbers(task, number_, slot, lane, 1);
            }
        }
    }
    take_lost();
    return TN_OK;
}

// If any task wants all lanes in one call, the caller passes all, including parked ones.
tn_status EnvTasks::step_task(Task& task, const tn_env_step& call, std::uint32_t first, std::uint32_t count) {
    const tn_wrapper_inner& env = task.env->offer();
    tn_env_step own = call;
    const std::uint32_t end = first + count;
    for (std::uint32_t at = first; at < end;) {
        std::uint32_t until = end;
        if (info_.all_lanes && !task.all_lanes) {
            const std::uint8_t* const status = task.buffers.lane_status;
            if (status[at] != 0) {
                ++at;
                continue;
            }
            until = static_cast<std::uint32_t>(
                std::find_if(status + at, status + end, [](std::uint8_t one) { return one != 0; }) - status);
        }
        own.first = at;
        own.count = until - at;
        if (const tn_status status = env.env->step(env.self, &own); status != TN_OK) {
            return status;
        }
        at = until;
    }
    write_numbers(task, number_, call.next_slot, first, count);
    write_numbers(task, final_number_, call.slot, first, count);
    return TN_OK;
}

tn_status EnvTasks::step(const tn_env_step& call) {
    const tn_env_step whole{.struct_size = sizeof whole,
                            .slot = call.slot,
                            .next_slot = call.next_slot,
                            .first = 0,
                            .count = 0,
                            .flags = call.flags};
    const tn_status status = each_task(
        call.first, call.count,
        [&](Task& task, std::uint32_t first, std::uint32_t count) { return step_task(task, whole, first, count); });
    take_lost();
    return status;
}

tn_status EnvTasks::save(std::uint32_t first, std::uint32_t count, const tn_writer& writer) {
    return each_task(first, count, [&](Task& task, std::uint32_t begin, std::uint32_t n) {
        return call_plugin(task.callee.name, "save", task.callee.place, task.callee.state->save, task.callee.self,
                           begin, n, &writer);
    });
}

tn_status EnvTasks::load(std::uint32_t first, std::uint32_t count, const tn_reader& reader) {
    return each_task(first, count, [&](Task& task, std::uint32_t begin, std::uint32_t n) {
        return call_plugin(task.callee.name, "load", task.callee.place, task.callee.state->load, task.callee.self,
                           begin, n, &reader);
    });
}

// The picture of the first task; the other tasks' pictures must have the same size.
tn_status EnvTasks::describe_picture(tn_picture_info& info) const {
    const tn_picture_info asked = info;
    for (const Task& task : tasks_) {
        tn_picture_info own = asked;
        const tn_status status = call_plugin(task.callee.name, "describe", task.callee.place,
                                             task.callee.render->describe, task.callee.self, &own);
        if (status != TN_OK) {
            return status;
        }
        if (&task == tasks_.data()) {
            info = own;
        } else if (own.height != info.height || own.width != info.width) {
            static constexpr std::string_view kSizes = "the pictures of its tasks have different sizes";
            keep_error({kSizes.data(), kSizes.size()});
            return TN_INVALID_ARGUMENT;
        }
    }
    return TN_OK;
}

tn_status EnvTasks::draw(std::uint32_t lane, std::uint8_t* pixels) const {
    const Task& task = tasks_[task_of_[lane]];
    return call_plugin(task.callee.name, "draw", task.callee.place, task.callee.render->draw, task.callee.self,
                       lane - task.first, pixels);
}

}  // namespace tenon
