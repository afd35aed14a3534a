// SPDX-License-Identifier: Apache-2.0
// What recorded frames are, for `tenon data info`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/data/episode_summary.hpp"
#include "train/plan/named_frames.hpp"

namespace tenon {

struct ColumnInfo {
    std::string key;
    std::string role;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::string spec;  // in words: "float32 [1] in [-2, 2]"; empty if the file does not say
};

struct FramesInfo {
    std::string file;
    std::string format;
    std::uint64_t frames = 0;
    std::uint32_t lanes = 0;
    std::vector<ColumnInfo> columns;
    DatasetFacts facts;  // what the writer says: "env", "seed", ...
    std::vector<std::string> left_out;
    EpisodeSummary episodes;
};

FramesInfo info_of(const NamedFrames& named);

}  // namespace tenon
