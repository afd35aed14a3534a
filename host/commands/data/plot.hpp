// SPDX-License-Identifier: Apache-2.0
// Returns and lengths of recorded episodes as a picture, for `tenon data plot`.
#pragma once

#include <string>

#include "commands/data/episode_summary.hpp"

namespace tenon {

// An SVG with two panels: a point for each whole episode, in the order of recording, and their mean.
std::string plot_episodes(const EpisodeSummary& episodes, const std::string& title);

}  // namespace tenon
