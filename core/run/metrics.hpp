// SPDX-License-Identifier: Apache-2.0
// metrics.jsonl and metrics.csv of a run: one record a line, the same numbers in both, never half a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "error/result.hpp"
#include "file/sync.hpp"

namespace tenon {

class Metrics {
public:
    // Opens both files in `folder` to append to them, or makes them. `names` are all that will ever be recorded; keys
    // under time/ go last in each record, the others keep their order. What a killed run left of a last line is cut.
    // Files with other columns are refused.
    static Result<Metrics> open(const std::filesystem::path& folder, const std::vector<std::string>& names);

    // One record; values in the order of the declared names. What is not finite is null in JSON; in CSV NaN is empty.
    // Allocates nothing unless it fails. A file that cannot take the record whole is left as it was.
    Status record(std::span<const double> values);

    // How many there are. A checkpoint holds it: bytes would not do, since those of time/ differ between equal runs.
    [[nodiscard]] std::uint64_t records() const { return records_; }

    // Cuts both files to the records that there were when a checkpoint was written; 0 begins them anew.
    Status keep_records(std::uint64_t records);

    // Puts both files on the disk, before a checkpoint refers to their records.
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
    std::vector<std::size_t> order_;  // place in a record -> declared place
    std::vector<std::string> keys_;   // in the order of a record, as JSON: `{"frames":`, `,"train/loss":`
    std::string csv_header_;
    std::vector<char> buffer_;  // takes the longest record there can be
};

}  // namespace tenon
