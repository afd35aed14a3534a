// SPDX-License-Identifier: Apache-2.0
// What stands behind an option in [schedule]: one piece, or a list of pieces that follow one another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "manifest/table_reader.hpp"

namespace tenon {

// The schedule of the option; nothing where it has problems.
std::optional<ScheduleTable> read_schedule(Manifest& manifest, Problems& problems, const std::string& option,
                                           const TomlNode& node);

// "schedule.optimiser.lr", of a list "schedule.optimiser.lr.0": the path of a piece's keys.
std::string piece_path(const ScheduleTable& schedule, std::size_t piece);

// When the piece ends, in frames or updates from the beginning of the run, if it says so.
std::optional<double> end_of(const SchedulePieceTable& piece, const Manifest& manifest);

}  // namespace tenon
