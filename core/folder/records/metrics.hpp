// SPDX-License-Identifier: Apache-2.0
// metrics.jsonl and metrics.csv of a run: one record per line, the same numbers in both, never a partial record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/sync.hpp"

namespace tenon {

class Metrics {
public:
    // Opens both files in `folder` for appending, or creates them. `names` are all names that will ever be recorded;
    // keys under time/ come last in each record, the others keep their order. A partial last line of a killed run is
    // removed. Files with other columns are refused.
    static Result<Metrics> open(const std::filesystem::path& folder, const std::vector<std::string>& names);

    // Writes one record; values are in the order of the declared names. Values that are not finite are null in JSON;
    // NaN is empty in CSV. Allocates nothing unless it fails. A file that cannot take the whole record is left
    // unchanged.
    Status record(std::span<const double> values);

    // The number of records. A checkpoint stores it rather than bytes, because the times differ between equal runs.
    [[nodiscard]] std::uint64_t records() const { return records_; }

    // Truncates both files to the records at the time of a checkpoint; 0 removes all.
    Status keep_records(std::uint64_t records);

    // Syncs both files to disk, before a checkpoint refers to their records.
    Status sync();

private:
    struct File {
        FileDescriptor descriptor;
        std::uint64_t length = 0;
        std::filesystem::path path;
    };

    Metrics(File jsonl, File csv, const std::vector<std::string>& names);
    static Result<File> open_file(std::filesystem::path path);
    static Status append(File& file, const char* bytes, std::size_t size);
    static Status cut(File& file, std::uint64_t length);
    Status begin_csv();

    File jsonl_;
    File csv_;
    std::uint64_t records_ = 0;
    std::vector<std::size_t> order_;  // position in a record -> declared position
    std::vector<std::string> keys_;   // in the order of a record, as JSON: `{"frames":`, `,"train/loss":`
    std::string csv_header_;
    std::vector<char> buffer_;  // large enough for the longest possible record
};

}  // namespace tenon
