// SPDX-License-Identifier: Apache-2.0
// buffer.storage = "compressed": what this folder offers to others.
#pragma once

#include "experience/replay/storage_kind.hpp"

namespace tenon {

const StorageKind& storage_compressed();

}  // namespace tenon
