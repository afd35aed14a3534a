// SPDX-License-Identifier: Apache-2.0
// Which group a run belongs to, by the name of the group.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shared/compare/comparison.hpp"

namespace tenon {

struct FoundRun {
    RunRecord record;
    std::size_t folder = 0;  // of the request's
    bool given = false;      // the folder is this run
};

// With a key of the manifest to group by: its value. Otherwise, a folder with runs below it is a group. Runs that are
// given themselves, and those below the only folder, are grouped by their manifests: those that differ in nothing but
// seed and files are a group.
std::vector<std::string> group_names(const CompareRequest& request, const std::vector<FoundRun>& runs);

}  // namespace tenon
