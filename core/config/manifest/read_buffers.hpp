// SPDX-License-Identifier: Apache-2.0
// Reads [buffer], or every [buffer.NAME].
#pragma once

#include "config/manifest/table_reader.hpp"

namespace tenon {

void read_buffers(Manifest& manifest, Problems& problems, const FoundTable& found);

}  // namespace tenon
