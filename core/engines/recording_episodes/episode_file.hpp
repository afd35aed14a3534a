// SPDX-License-Identifier: Apache-2.0
// Whole episodes in a file that grows while a run collects them. An episode is a head and then the rows of each column,
// dense: one more row of an observation than of other columns, the final one. The file holds only episodes that have
// ended, so a checkpoint needs nothing but the file's length.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/sync.hpp"
#include "experience/dataset/dataset.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

struct EpisodeHead {
    std::uint64_t length = 0;
    std::uint64_t seed = 0;
    std::uint8_t terminated = 0;
    std::uint8_t seeded = 0;  // the seed is known
    std::uint8_t unused[6] = {};
};

class EpisodeFile {
public:
    // The part of the file that a checkpoint refers to.
    struct Extent {
        std::uint64_t bytes = 0;
        std::uint64_t episodes = 0;
        std::uint64_t frames = 0;
    };

    // Opens the file, or makes it. Call cut before append.
    static Result<EpisodeFile> open(const std::filesystem::path& path);
    // Removes what was added after this extent.
    Status cut(const Extent& extent);

    // Appends a head and its rows, completely or not at all. Allocates nothing.
    Status append(const EpisodeHead& head, std::string_view bytes);
    Status sync() const;
    [[nodiscard]] const Extent& extent() const { return extent_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // All episodes of a file in a storage of one lane, concatenated. `columns`: those that were appended.
    struct Content {
        Storage storage;
        std::vector<DatasetEpisode> episodes;
    };
    [[nodiscard]] Result<Content> read(std::span<const StorageColumn> columns) const;

private:
    EpisodeFile(std::filesystem::path path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}

    std::filesystem::path path_;
    FileDescriptor file_;
    Extent extent_;
};

}  // namespace tenon
