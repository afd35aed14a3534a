// SPDX-License-Identifier: Apache-2.0
// A worker's description of its environments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/env_spec.hpp"

namespace bridge {

struct Description {
    tenon::EnvSpec spec;
    std::int64_t limit = 0;          // steps of an episode at most; 0: no limit
    std::vector<std::string> notes;  // for the user's log

    bool operator==(const Description& other) const { return text == other.text; }
    std::string text;
};

// From the lines that World.lines in tenon_worker/world.py writes. Throws if they are not such lines.
Description read_description(const std::string& text);

}  // namespace bridge
