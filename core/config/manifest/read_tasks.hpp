// SPDX-License-Identifier: Apache-2.0
// Reads [[env.tasks]] and [[eval.env.tasks]].
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/manifest/table_reader.hpp"

namespace tenon {

// The tasks of the env whose table is `env`. A task without a component or isolation gets those of the env; one with
// the env's component also gets the options `shared`. found: its table. schema: "env.tasks" or "eval.env.tasks".
std::vector<TaskTable> read_tasks(Manifest& manifest, Problems& problems, std::string_view schema,
                                  const FoundTable& found, const ComponentTable& env,
                                  std::span<const GivenOption> shared);

// The options `over`, and those of `options` with other names.
std::vector<GivenOption> overlaid(std::span<const GivenOption> options, std::span<const GivenOption> over);

// Adds a problem if the lanes cannot be split among the tasks.
void check_task_lanes(const Manifest& manifest, Problems& problems);

}  // namespace tenon
