// SPDX-License-Identifier: Apache-2.0
// The kinds of storages, of sources of frames, of writers of records and of recordings that this program has: one for
// each folder core/engines/storage_NAME, source_NAME, writer_NAME and recording_NAME. CMake writes the tables
// (cmake/kinds.cmake).
#pragma once

#include <span>

#include "experience/replay/storage_kind.hpp"
#include "folder/records/writer_kind.hpp"
#include "train/plan/recording_kind.hpp"
#include "train/plan/source_kind.hpp"

namespace tenon {

std::span<const StorageKind* const> storage_kinds();  // besides "memory"
std::span<const SourceKind* const> source_kinds();    // besides lanes in this process
std::span<const WriterKind* const> writer_kinds();    // besides metrics.jsonl and metrics.csv
std::span<const RecordingKind* const> recording_kinds();

}  // namespace tenon
