// SPDX-License-Identifier: Apache-2.0
// Writes the frames of a storage as a dataset of a format that a plugin writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experience/dataset/dataset.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// The name of the format of files of frames, which no dataset has.
inline constexpr std::string_view kOwnFormat = "frames";

struct DatasetRequest {
    const Storage& storage;
    const Composite& specs;                          // the specs that are known
    DatasetFacts facts = {};                         // what the dataset says about itself
    std::filesystem::path to;                        // a file or folder that does not exist
    std::string format;                              // "minari"
    std::span<const DatasetEpisode> episodes = {};   // of the dataset that the storage was read from: their seeds
    std::span<const std::uint64_t> lane_seeds = {};  // otherwise: of the first episode of each lane
};

struct Converted {
    std::uint64_t frames = 0;
    std::uint64_t episodes = 0;
    std::vector<std::string> left_out;  // sentences
    std::string pieces = {};            // a sentence, if some episodes are pieces; empty: none is
};

// The dataset exists completely or not at all.
Result<Converted> write_dataset(const DatasetRequest& request, Registry& registry, const tn_host& host);

// Whether the path is free, before anything is recorded.
Status check_free(const std::filesystem::path& to);

}  // namespace tenon
