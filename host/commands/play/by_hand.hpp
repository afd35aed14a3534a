// SPDX-License-Identifier: Apache-2.0
// A person plays an env.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "commands/play/controls.hpp"
#include "config/manifest/override.hpp"
#include "experience/env/episodes.hpp"
#include "experience/env/lanes.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/start/notice.hpp"
#include "train/collect/score.hpp"

namespace tenon {

struct HandRequest {
    std::string source;               // the folder of a run, a manifest, or the name of an env
    std::vector<Override> overrides;  // of the env
    std::int64_t seed = 0;
    std::int64_t episodes = std::numeric_limits<std::int64_t>::max();
    std::vector<SearchFolder> plugins;
};

struct Hand {
    std::function<void(const Lanes::Pictures&, const Controls&)> begin;
    // Shows the picture of the state, and lets the person choose the action for it; after the end of an episode, any
    // action begins the next one. False: the person has ended the play.
    std::function<bool(std::span<const std::uint8_t> pixels, Controls&, const Episode& so_far)> turn;
};

// Plays. The score of the episodes that have ended; none if no episode has ended.
std::optional<Score> play_by_hand(const HandRequest& request, const Hand& hand, const Notice& notice,
                                  Problems& problems);

}  // namespace tenon
