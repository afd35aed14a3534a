// SPDX-License-Identifier: Apache-2.0
// [schedule]: the options that change; their names are paths of any depth.
#pragma once

#include "config/manifest/table_reader.hpp"

namespace tenon {

// Fills manifest.schedules from `found`. Requires the other tables, whose keys decide what may change.
void read_schedules(Manifest& manifest, Problems& problems, const FoundTable& found);

}  // namespace tenon
