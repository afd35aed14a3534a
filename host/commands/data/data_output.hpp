// SPDX-License-Identifier: Apache-2.0
// What `tenon data` prints, as text or as JSON.
#pragma once

#include <vector>

#include "commands/data/subcommands.hpp"

namespace tenon::host {

void print_info(const FramesInfo& info, bool as_json);
void print_stats(const std::vector<ColumnStats>& columns, const EpisodeSummary& episodes, bool as_json);
void print_frames(const std::vector<FrameRow>& frames, bool as_json);

}  // namespace tenon::host
