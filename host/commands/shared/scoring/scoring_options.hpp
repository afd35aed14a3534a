// SPDX-License-Identifier: Apache-2.0
// The options of commands that play the episodes of an evaluation with a checkpoint: eval and play.
#pragma once

#include <string_view>

#include "base/json/write.hpp"
#include "command_line.hpp"
#include "run/sessions/scoring.hpp"
#include "train/collect/score.hpp"

namespace tenon::host {

// episodes: the help of --episodes.
void add_scoring_options(CommandLine& line, const char* episodes);

// command: for the message if the folder is missing.
Result<ScoringRequest> scoring_request(const CommandLine& line, std::string_view command);

// The fields of a score.
void put_score(JsonWriter& json, const Score& score);

}  // namespace tenon::host
