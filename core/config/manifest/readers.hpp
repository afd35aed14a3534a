// SPDX-License-Identifier: Apache-2.0
// Readers of the larger tables of a manifest.
#pragma once

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

}  // namespace tenon
