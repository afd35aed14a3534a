// SPDX-License-Identifier: Apache-2.0
// How far a run is. With the data that it works on, a checkpoint needs nothing else to continue it.
#pragma once

#include <vector>

#include "train/progress/round.hpp"
#include "train/progress/standing.hpp"
#include "train/progress/versions.hpp"

namespace tenon {

struct RunProgress {
    Standing standing = {};
    RoundPosition round = {};
    ActingVersions versions = {};
    std::vector<UnitProgress> units = {};  // in the order in which they learn
};

}  // namespace tenon
