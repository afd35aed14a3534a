// SPDX-License-Identifier: Apache-2.0
// Storages in which every lane has its own head, because the lanes stepped at different times.
#pragma once

#include "experience/replay/storage.hpp"

namespace tenon {

// Moves the rows of lanes so that all heads are in one slot again. Takes as long as copying all rows.
void align(Storage& storage);

}  // namespace tenon
