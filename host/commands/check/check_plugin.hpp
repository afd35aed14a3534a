// SPDX-License-Identifier: Apache-2.0
// All checks of a plugin file and of its components.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/check/check.hpp"
#include "commands/check/checklist.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

struct CheckRequest {
    std::filesystem::path file;
    std::string component;  // "CartPole-v1"; empty: all
    // checks with one of these in their names, and the checks that they need; empty: all
    std::vector<std::string> only;
    std::vector<std::string> sets;      // "limit=3", for every component that has the option
    std::filesystem::path manifest;     // wires components that are graphs; empty: a suitable one is searched for
    std::vector<SearchFolder> plugins;  // where to find the other plugins that the manifest names
    std::uint64_t seed = 0;
    double seconds = 30;                // time limit of a check
    std::uint32_t lanes = kUsualLanes;  // of envs: kFewestLanes or more

    // Called with each row when it is done.
    std::function<void(const CheckRow&)> on_row = [](const CheckRow&) {};
};

// Gives problems only if the request is invalid; defects of the plugin are in the list. The process must have no other
// thread.
std::optional<Checklist> check_plugin(const CheckRequest& request, Problems& problems);

}  // namespace tenon
