// SPDX-License-Identifier: Apache-2.0
// buffer.storage = "mmap": what this folder offers to others.
#pragma once

#include "experience/replay/storage_kind.hpp"

namespace tenon {

const StorageKind& storage_disk();

}  // namespace tenon
