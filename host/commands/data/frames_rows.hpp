// SPDX-License-Identifier: Apache-2.0
// The first recorded frames as numbers, for `tenon data head`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/plan/named_frames.hpp"

namespace tenon {

struct FrameValue {
    std::string key;
    bool is_float = false;
    bool is_flag = false;
    bool is_scalar = false;
    std::vector<double> numbers;
};

struct FrameRow {
    std::uint64_t episode = 0;
    std::uint64_t step = 0;
    std::vector<FrameValue> values;  // one for each column
};

// At most `count` frames, episode after episode.
std::vector<FrameRow> first_rows(const NamedFrames& named, std::uint64_t count);

}  // namespace tenon
