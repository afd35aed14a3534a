// SPDX-License-Identifier: Apache-2.0
// The records of a run, read back from its metrics.jsonl: a column of numbers for each name. The run may be running,
// may have been killed in the middle of a line, and may be resumed, which removes its latest records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "shared/history/record_layout.hpp"

namespace tenon {

class HistoryReader {
public:
    // For the run in this folder; nothing is read yet. `only`: the names whose columns are kept, which saves memory and
    // time; empty: all.
    explicit HistoryReader(const std::filesystem::path& run, std::vector<std::string> only = {});

    struct Growth {
        std::size_t records = 0;  // new ones at the end of every column
        bool restarted = false;   // the file has been cut or replaced: all records have been read again
    };
    // Reads the lines that have been completed since the last call. A run that has recorded nothing has no file, and no
    // records. After a problem, the records before it are kept.
    Result<Growth> read_more();

    [[nodiscard]] std::size_t records() const { return records_; }
    // All names, in the order of a record, whether their columns are kept or not.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    // One value for each record; NaN: none. Empty if there is no such column. Valid until the next read_more.
    [[nodiscard]] std::span<const double> column(std::string_view name) const;

private:
    void forget();
    Status read_file(Growth& growth);
    [[nodiscard]] bool is_unchanged(int file) const;
    Status take(std::string_view line);
    Status lay_out(std::string_view line);

    std::filesystem::path file_;
    std::vector<std::string> only_;
    std::vector<std::string> names_;
    std::map<std::string, std::size_t, std::less<>> column_of_;
    std::vector<std::vector<double>> columns_;
    std::vector<double> row_;
    RecordLayout layout_;
    std::size_t records_ = 0;
    std::size_t expected_ = 0;  // records of the whole file, roughly
    std::uint64_t offset_ = 0;  // the end of the last line that was read
    std::string last_line_;     // its text, to notice that the file was cut and has grown again
};

}  // namespace tenon
