// SPDX-License-Identifier: Apache-2.0
// Reads [objective], or every [[objective]].
#pragma once

#include "config/manifest/table_reader.hpp"

namespace tenon {

void read_objective(Manifest& manifest, Problems& problems, const FoundTable& found);

// Checks the names of the objectives, and the buffers that they name. Requires the buffers and policies.
void check_objectives(const Manifest& manifest, Problems& problems);

}  // namespace tenon
