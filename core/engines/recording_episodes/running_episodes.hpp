// SPDX-License-Identifier: Apache-2.0
// Follows the episodes that a run collects: keeps the rows of unfinished episodes, and appends each to a file when it
// ends. It reads a round's frames while the storage still has them, so the ring buffer may be much smaller than a
// recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "engines/recording_episodes/episode_file.hpp"
#include "experience/replay/storage.hpp"
#include "train/checkpoint/saved_fields.hpp"

namespace tenon {

class RunningEpisodes {
public:
    // The storage must outlive it. seeds: those of each lane's first episode; empty: unknown.
    RunningEpisodes(const Storage& storage, std::span<const StorageColumn> columns,
                    std::span<const std::uint64_t> seeds);

    // Takes the newest `steps` steps of the storage, which are new. Episodes that have ended are appended to the file.
    // If the run itself has cut an episode, by beginning another one in its lane, it ends as truncated, as in the
    // storage. A piece whose beginning was not seen is left out. Allocates nothing once its memory holds the longest
    // episode.
    Status take(std::int64_t steps, EpisodeFile& file);

    // The fields of a checkpoint.
    void visit(SavedFields& saved);

private:
    struct Column {
        const StorageColumn* of;
        std::size_t bytes;  // of a row
        bool ends;          // it has a final row
    };
    struct Lane {
        bool running = false;
        std::uint64_t length = 0;
        std::vector<std::string> rows;  // by column
        std::vector<std::string> now;   // by column: the newest observation, after the last row
        std::optional<std::uint64_t> seed;
    };

    void begin(Lane& lane);
    void add(Lane& lane, std::uint32_t slot, std::uint32_t number);
    Status end(Lane& lane, bool terminated, EpisodeFile& file);
    Status take_lane(std::uint32_t number, std::uint32_t steps, EpisodeFile& file);

    const Storage& storage_;
    const std::uint8_t* is_init_;
    std::vector<Column> columns_;
    std::vector<Lane> lanes_;
    std::string episode_;  // the one that is being written
};

}  // namespace tenon
