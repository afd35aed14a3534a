// SPDX-License-Identifier: Apache-2.0
// What writes the records of a run, besides metrics.jsonl and metrics.csv. Each kind is a folder
// core/engines/writer_NAME, which only the table of this program knows (run/start/kinds.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/manifest.hpp"

namespace tenon {

// A picture that is already encoded as PNG, which may be animated.
struct RecordedPicture {
    std::string tag;
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    std::string png;
};

class RecordWriter {
public:
    RecordWriter() = default;
    RecordWriter(const RecordWriter&) = delete;
    RecordWriter& operator=(const RecordWriter&) = delete;
    virtual ~RecordWriter() = default;

    // One record of all names; NaN means no value. Allocates nothing from the second record on.
    virtual Status record(double wall_time_s, std::int64_t step, std::span<const double> values) = 0;
    // A picture at the step of the latest record or a later one, because files are cut by their steps.
    virtual Status picture(double wall_time_s, std::int64_t step, const RecordedPicture& picture) = 0;

    // Removes later steps and partial records from all existing files: the run continues from this step.
    virtual Status keep(std::int64_t step) = 0;
    // Syncs the files to disk.
    virtual Status sync() = 0;
};

class WriterKind {
public:
    WriterKind() = default;
    WriterKind(const WriterKind&) = delete;
    WriterKind& operator=(const WriterKind&) = delete;
    virtual ~WriterKind() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual bool is_wanted(const LogTable& log) const = 0;
    // Of the run in this folder. `names` are all names that will ever be recorded; `values` are those of the manifest.
    [[nodiscard]] virtual std::unique_ptr<RecordWriter> make(
        const std::filesystem::path& folder, std::vector<std::string> names,
        const std::map<std::string, std::string>& values) const = 0;
};

// A sentence if the run wants files that no kind writes; empty: they are all written.
inline std::string missing_writer(const LogTable& log, std::span<const WriterKind* const> kinds) {
    const bool is_missing = log.tensorboard && std::ranges::none_of(kinds, [&](const WriterKind* kind) {
                                return kind->is_wanted(log) && kind->name() == "tensorboard";
                            });
    return is_missing ? "this program has been built without core/engines/writer_tensorboard: the run writes no files "
                        "for TensorBoard (log.tensorboard)"
                      : "";
}

}  // namespace tenon
