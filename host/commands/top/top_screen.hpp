// SPDX-License-Identifier: Apache-2.0
// tenon top: runs as lines of a terminal.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "shared/watch/run_watch.hpp"

namespace tenon {

struct TopStyle {
    std::size_t columns = 80;
    std::size_t lines = 24;  // the largest number of lines; 0: all
    bool colour = false;
};

// Running runs first, then those that changed last. The selected one has a mark, and its details are below the list.
std::vector<std::shared_ptr<const WatchedRun>> order_for_top(const RunsView& view);
std::string top_screen(const std::vector<std::shared_ptr<const WatchedRun>>& runs, std::size_t selected,
                       const TopStyle& style);

// Eight heights for the values, from the least to the greatest; a blank for none.
std::string sparkline(const std::vector<float>& values);

}  // namespace tenon
