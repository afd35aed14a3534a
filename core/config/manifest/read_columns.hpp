// SPDX-License-Identifier: Apache-2.0
// Reads [columns].
#pragma once

#include "config/manifest/table_reader.hpp"

namespace tenon {

void read_columns(Manifest& manifest, Problems& problems, const FoundTable& found);

}  // namespace tenon
