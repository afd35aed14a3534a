// SPDX-License-Identifier: Apache-2.0
// How the programs of a run read categorical observations: one-hot, as numbers, or as indices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/plan/wiring.hpp"

namespace tenon {

struct ExplainedCategories {
    std::string column;
    std::vector<std::int64_t> sizes;   // number of categories, for each choice
    std::vector<std::string> read_as;  // "one-hot", "number", "index"
};

// For every categorical observation that a program reads.
std::vector<ExplainedCategories> categories_of(const Wiring& wiring);

}  // namespace tenon
