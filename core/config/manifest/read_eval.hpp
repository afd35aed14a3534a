// SPDX-License-Identifier: Apache-2.0
// [eval] and the environments of evaluations.
#pragma once

#include "config/manifest/table_reader.hpp"

namespace tenon {

// Requires that [env] has been read.
void read_eval(Manifest& manifest, Problems& problems, const FoundTable& found);

}  // namespace tenon
