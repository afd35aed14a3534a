// SPDX-License-Identifier: Apache-2.0
// The kinds of storages of this program, besides "memory": one for each core/engines/storage_NAME.
#pragma once

#include <span>

#include "experience/replay/storage_kind.hpp"

namespace tenon {

std::span<const StorageKind* const> storage_kinds();

}  // namespace tenon
