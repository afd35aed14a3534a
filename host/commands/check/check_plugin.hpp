// SPDX-License-Identifier: Apache-2.0
// All checks of a plugin file and of its components.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/check/check.hpp"
#include "commands/check/verdict.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

struct CheckRow {
    std::string component;  // empty: the file as a whole
    std::string kind;       // of the component
    std::string name;
    Verdict verdict;  // always names what it breaks
    double seconds = 0;
};

struct Checklist {
    std::string path;
    std::string library;
    std::string version;
    std::uint64_t seed = 0;
    std::vector<CheckRow> rows;
    double seconds = 0;

    [[nodiscard]] std::size_t count(CheckOutcome outcome) const {
        std::size_t found = 0;
        for (const CheckRow& row : rows) {
            found += row.verdict.outcome == outcome ? 1 : 0;
        }
        return found;
    }
};

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
