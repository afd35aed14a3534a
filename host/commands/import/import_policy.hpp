// SPDX-License-Identifier: Apache-2.0
// Turns weights of another program into a run: its folder has a checkpoint at frame 0 with them.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/error/problem.hpp"
#include "commands/import/name_table.hpp"
#include "run/start/setup.hpp"

namespace tenon {

struct ImportRequest {
    std::filesystem::path file;
    Request request;  // the manifest whose policy gets the weights
    std::vector<NameRule> rules;
    std::filesystem::path out;  // the run's folder
};

// Adds every problem, and then leaves nothing in `out`.
std::optional<Taken> import_policy(const ImportRequest& request, Problems& problems);

}  // namespace tenon
