// SPDX-License-Identifier: Apache-2.0
// What the subcommands of `tenon data` do with recorded frames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "experience/dataset/write_dataset.hpp"
#include "experience/replay/storage.hpp"
#include "plugins/plugin/search_path.hpp"
#include "train/plan/named_frames.hpp"

namespace tenon {

// Recorded frames of any format that this host and its plugins read, outside of a run.
Result<NamedFrames> open_frames(const std::filesystem::path& path, const std::vector<SearchFolder>& plugins);

// Running statistics of numbers; NaNs are counted apart.
struct NumberStats {
    std::uint64_t count = 0;
    std::uint64_t nans = 0;
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double mean = 0;
    double squares = 0;  // sum of squared differences from the mean

    void add(double value);
    [[nodiscard]] double std() const;  // population standard deviation
};

// Returns and lengths of recorded episodes.
struct EpisodeSummary {
    std::uint64_t whole = 0;  // episodes with their first and last transitions
    std::uint64_t pieces = 0;
    std::uint64_t terminated = 0;
    std::uint64_t truncated = 0;
    std::vector<double> returns;  // of whole episodes, in the order in which they begin
    std::vector<double> lengths;
    NumberStats of_returns;
    NumberStats of_lengths;
};

// Returns are sums of the column "reward"; there are none if it is missing or has more than one number a frame.
EpisodeSummary summarise_episodes(const Storage& storage);

// A number of a column's row.
double number_at(const StorageColumn& column, const void* row, std::size_t element);

// What recorded frames are, for `tenon data info`.
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

// The first recorded frames as numbers, for `tenon data head`.
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

// Statistics of every column of recorded frames, for `tenon data stats`.
struct ColumnStats {
    std::string key;
    NumberStats all;  // over all elements of all frames
};

// Statistics of the frames, without the last observations of episodes.
std::vector<ColumnStats> stats_of(const NamedFrames& named);

// For `tenon data plot`: returns and lengths of episodes as an SVG with two panels: a point for each whole episode, in
// the order of recording, and their mean.
std::string plot_episodes(const EpisodeSummary& episodes, const std::string& title);

// Writes recorded frames in another format, for `tenon data convert`.
struct Conversion {
    std::vector<std::filesystem::path> from;  // several are joined
    std::filesystem::path to;
    std::string format;  // "frames": tenon frames/1; otherwise a component of the kind dataset
    std::vector<SearchFolder> plugins;
    bool one_lane = false;  // joins also what is one source
};

Result<Converted> convert_frames(const Conversion& request);

// For `tenon data convert A B DST`: the whole episodes of all sources in one lane, concatenated, with the specs and
// metadata of the first source. The sources must have the same observations, actions and rewards. Other columns, such
// as what a policy has put out, are left out unless all sources have them.
Result<NamedFrames> joined(std::span<const NamedFrames> sources);

}  // namespace tenon
