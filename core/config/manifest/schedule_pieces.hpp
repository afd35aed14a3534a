// SPDX-License-Identifier: Apache-2.0
// The value of an option in [schedule]: one piece, or a list of consecutive pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "config/manifest/manifest.hpp"

namespace tenon {

// The schedule of the option; nothing if it has problems.
std::optional<ScheduleTable> read_schedule(Manifest& manifest, Problems& problems, const std::string& option,
                                           const TomlNode& node);

// "schedule.optimiser.lr", or "schedule.optimiser.lr.0" for a list: the path of a piece's keys.
std::string piece_path(const ScheduleTable& schedule, std::size_t piece);

// The end of the piece, in frames or updates since the start of the run, if it has one.
std::optional<double> end_of(const SchedulePieceTable& piece, const Manifest& manifest);

}  // namespace tenon
