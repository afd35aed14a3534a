// SPDX-License-Identifier: Apache-2.0
// How the programs of a run read observations that are categories: one-hot, as numbers, or to pick something by them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/wiring.hpp"

namespace tenon {

struct ExplainedCategories {
    std::string column;
    std::vector<std::int64_t> sizes;   // how many categories there are, of several choices at once each
    std::vector<std::string> read_as;  // "one-hot", "number", "index"
};

// Of every observation of categories that a program reads.
std::vector<ExplainedCategories> categories_of(const Wiring& wiring);

}  // namespace tenon
