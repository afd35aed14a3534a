// SPDX-License-Identifier: Apache-2.0
// The kinds of storages and of sources of frames that this program has: one for each folder core/engines/storage_NAME
// and core/engines/source_NAME. CMake writes the tables (cmake/kinds.cmake).
#pragma once

#include <span>

#include "experience/replay/storage_kind.hpp"
#include "train/plan/source_kind.hpp"

namespace tenon {

std::span<const StorageKind* const> storage_kinds();  // besides "memory"
std::span<const SourceKind* const> source_kinds();    // besides lanes in this process

}  // namespace tenon
