// SPDX-License-Identifier: Apache-2.0
// All checks of a plugin file and of its components.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check/checklist.hpp"
#include "plugin/search_path.hpp"

namespace tenon {

struct CheckRequest {
    std::filesystem::path file;
    std::string component;              // "CartPole-v1"; empty: all
    std::vector<std::string> sets;      // "limit=3", for the components that have the option
    std::filesystem::path manifest;     // for components that are graphs: one that wires them; empty: one that is found
    std::vector<SearchFolder> plugins;  // where the manifest finds what it names beside it
    std::uint64_t seed = 0;
    double seconds = 30;  // after which a check has failed

    // Told of each row as it is done.
    std::function<void(const CheckRow&)> on_row = [](const CheckRow&) {};
};

// Nothing but problems where the request makes no sense; whatever is wrong with the plugin is in the list. The process
// must have no other thread.
std::optional<Checklist> check_plugin(const CheckRequest& request, Problems& problems);

}  // namespace tenon
