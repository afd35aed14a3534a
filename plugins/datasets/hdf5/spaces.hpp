// SPDX-License-Identifier: Apache-2.0
// Gymnasium's spaces, as Minari writes them in JSON, and columns. The columns are those of an environment of Gymnasium
// with the same space: observation, or observation.KEY for each part of a Dict or Tuple.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json.hpp"
#include "tenon/spec.hpp"

namespace hdf5 {

struct Part {
    tenon::Spec spec;
    std::string path;                 // of its array in an episode: "observations/position"
    std::vector<std::int64_t> start;  // what to subtract from categories: one for each element, or none
};

struct Parts {
    std::vector<Part> columns;
    std::vector<std::string> left_out;  // sentences
};

// Appends the parts of a space below the key and the path.
void add_parts(const Json& space, const std::string& key, const std::string& path, std::int32_t role, Parts& out);

// The space of all columns with this role, as JSON. `root` is the key of a space without parts: "observation". Sets
// Part::path of every column below `path`.
std::string space_of(std::vector<Part>& columns, std::int32_t role, std::string_view root, const std::string& path);

}  // namespace hdf5
