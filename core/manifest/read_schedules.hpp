// SPDX-License-Identifier: Apache-2.0
// [schedule]: which options move, whose names are paths of any depth.
#pragma once

#include "manifest/table_reader.hpp"

namespace tenon {

// Fills manifest.schedules from `found`. The other tables have been read: their keys say what may move.
void read_schedules(Manifest& manifest, Problems& problems, const FoundTable& found);

}  // namespace tenon
