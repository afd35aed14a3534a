// SPDX-License-Identifier: Apache-2.0
// Several tasks in one env: envs with the same columns that share the lanes and are called as one env. Each task has
// its own instance and a run of neighbouring lanes, which step directly in the host's columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/data/spec_abi.hpp"
#include "base/data/view.hpp"
#include "experience/env/describe.hpp"
#include "experience/replay/callee.hpp"
#include "plugins/plugin/inner_env.hpp"

namespace tenon {

struct EnvTask {
    std::string name;
    std::uint32_t number = 0;
    Instance env;  // made for `lanes` lanes
    std::uint32_t lanes = 0;
};

class EnvTasks {
public:
    struct Parts {
        std::vector<EnvTask> tasks;  // in the order of their lanes
        std::string column;          // an observation that says which task a lane has; empty: none
        std::uint32_t categories = 0;
        std::string name;  // of all tasks together, in sentences
        Place place;
    };
    // A problem if the tasks do not have the same columns. Bounds of observations may differ: they become those that
    // hold for all.
    static Result<std::unique_ptr<EnvTasks>> make(Parts parts);
    EnvTasks(const EnvTasks&) = delete;  // the callee of all tasks keeps its address
    EnvTasks& operator=(const EnvTasks&) = delete;
    ~EnvTasks();

    // All tasks as one env.
    [[nodiscard]] Callee<tn_env_api> callee();

    // The task that the lane has.
    [[nodiscard]] const Callee<tn_env_api>& task_of(std::uint32_t lane) const;

private:
    friend struct HostTables;
    struct Task;
    explicit EnvTasks(Parts parts);
    Status describe_all();
    Status join(const EnvInfo& other, const Task& task);
    void add_column();
    template <class F>
    tn_status each_task(std::uint32_t first, std::uint32_t count, F&& f);
    tn_status step_task(Task& task, const tn_env_step& call, std::uint32_t first, std::uint32_t count);
    void write_numbers(const Task& task, const View& column, std::uint32_t slot, std::uint32_t first,
                       std::uint32_t count) const;
    void take_lost();

    tn_status describe(tn_env_info& info) const;
    tn_status bind(const tn_env_buffers& buffers);
    tn_status reset(std::uint32_t slot, const std::uint8_t* mask, const std::uint64_t* seeds);
    tn_status step(const tn_env_step& call);
    tn_status save(std::uint32_t first, std::uint32_t count, const tn_writer& writer);
    tn_status load(std::uint32_t first, std::uint32_t count, const tn_reader& reader);
    tn_status describe_picture(tn_picture_info& info) const;
    tn_status draw(std::uint32_t lane, std::uint8_t* pixels) const;

    Parts parts_;
    std::vector<Task> tasks_;
    std::vector<std::uint32_t> task_of_;  // [lane]
    EnvInfo info_;
    std::unique_ptr<SpecTable> table_;
    View number_;        // the column that says which task a lane has; no data: none
    View final_number_;  // and that of final observations
    LostLanes lost_;     // of tasks in other processes
    bool is_apart_ = false;
};

}  // namespace tenon
