// SPDX-License-Identifier: Apache-2.0
// Reads the list [[hooks]].
#pragma once

#include "config/manifest/table_reader.hpp"

namespace tenon {

void read_hooks(Manifest& manifest, Problems& problems, const TomlNode& node);

}  // namespace tenon
