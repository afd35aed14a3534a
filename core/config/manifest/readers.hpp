// SPDX-License-Identifier: Apache-2.0
// Readers of the larger tables of a manifest.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/manifest/table_reader.hpp"

namespace tenon {

// [buffer], or every [buffer.NAME].
void read_buffers(Manifest& manifest, Problems& problems, const FoundTable& found);

// [columns].
void read_columns(Manifest& manifest, Problems& problems, const FoundTable& found);

// [objective], or one [[objective]].
void read_objective(Manifest& manifest, Problems& problems, const FoundTable& found);

// Their names, and the buffers that they name. Requires the buffers and policies.
void check_objectives(const Manifest& manifest, Problems& problems);

// The list [[hooks]].
void read_hooks(Manifest& manifest, Problems& problems, const TomlNode& node);

// [eval] and the environments of evaluations. Requires that [env] has been read.
void read_eval(Manifest& manifest, Problems& problems, const FoundTable& found);

// [schedule]: the options that change; their names are paths of any depth. Fills manifest.schedules from `found`.
// Requires the other tables, whose keys decide what may change.
void read_schedules(Manifest& manifest, Problems& problems, const FoundTable& found);

// [[env.tasks]] and [[eval.env.tasks]]: the tasks of the env whose table is `env`. A task without a component or
// isolation gets those of the env; one with the env's component also gets the options `shared`. found: its table.
// schema: "env.tasks" or "eval.env.tasks".
std::vector<TaskTable> read_tasks(Manifest& manifest, Problems& problems, std::string_view schema,
                                  const FoundTable& found, const ComponentTable& env,
                                  std::span<const GivenOption> shared);

// The options `over`, and those of `options` with other names.
std::vector<GivenOption> overlaid(std::span<const GivenOption> options, std::span<const GivenOption> over);

// Adds a problem if the lanes cannot be split among the tasks.
void check_task_lanes(const Manifest& manifest, Problems& problems);

}  // namespace tenon
