// SPDX-License-Identifier: Apache-2.0
#include "shared/history/history_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/file/read.hpp"

namespace tenon {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kBlock = std::size_t{1} << 18U;
// this and the next limit the memory that a damaged file can take
constexpr std::size_t kLongestLine = std::size_t{1} << 22U;
constexpr std::size_t kMostNames = 10'000;

void append(std::vector<double>& column, double value, std::size_t expected) {
    if (column.size() == column.capacity()) {
        column.reserve(std::max(expected, column.size() + column.size() / 4 + 16));  // doubling would waste memory
    }
    column.push_back(value);
}

}  // namespace

HistoryReader::HistoryReader(const std::filesystem::path& run, std::vector<std::string> only)
    : file_(run / "metrics.jsonl"), only_(std::move(only)) {}

std::span<const double> HistoryReader::column(std::string_view name) const {
    const auto found = column_of_.find(name);
    return found == column_of_.end() || found->second == RecordLayout::kUnread ? std::span<const double>()
                                                                               : columns_[found->second];
}

void HistoryReader::forget() {
    HistoryReader fresh({}, std::move(only_));
    fresh.file_ = std::move(file_);
    *this = std::move(fresh);
}

Result<HistoryReader::Growth> HistoryReader::read_more() {
    Growth growth;
    std::error_code code;
    if (!std::filesystem::exists(file_, code) && !code) {
        growth.restarted = offset_ > 0;
        forget();
        return growth;
    }
    TENON_TRY(read_file(growth));
    return growth;
}

// Whether the part of the file that was read is still the same.
bool HistoryReader::is_unchanged(int file) const {
    struct stat info{};
    if (::fstat(file, &info) != 0 || static_cast<std::uint64_t>(info.st_size) < offset_) {
        return false;
    }
    std::string last(last_line_.size(), '\0');
    const auto at = static_cast<off_t>(offset_ - last.size());
    return ::pread(file, last.data(), last.size(), at) == static_cast<ssize_t>(last.size()) && last == last_line_;
}

Status HistoryReader::read_file(Growth& growth) {
    const FileDescriptor file = TENON_TRY(open_to_read(file_));
    if (!is_unchanged(file.get())) {
        forget();
        growth.restarted = true;
    }
    struct stat info{};
    const bool sized = ::fstat(file.get(), &info) == 0;
    std::string block;
    std::size_t kept = 0;  // bytes of a line that continues in the next block
    for (;;) {
        block.resize(kept + kBlock);
        const ssize_t got = ::pread(file.get(), block.data() + kept, kBlock, static_cast<off_t>(offset_ + kept));
        if (got < 0) {
            return file_problem("read", file_, errno);
        }
        if (got == 0) {
            return {};
        }
        std::string_view rest(block.data(), kept + static_cast<std::size_t>(got));
        for (std::size_t end = rest.find('\n', kept); end != std::string_view::npos; end = rest.find('\n')) {
            if (records_ == 0 && sized) {
                expected_ = static_cast<std::size_t>(info.st_size) / (end + 1) + 1;
            }
            TENON_TRY(take(rest.substr(0, end)));
            offset_ += end + 1;
            ++growth.records;
            last_line_.assign(rest, 0, end + 1);
            rest.remove_prefix(end + 1);
        }
        kept = rest.size();
        if (kept > kLongestLine) {
            return input_problem(file_.string() + " has a line that is too long for a record");
        }
        block.erase(0, block.size() - kBlock + static_cast<std::size_t>(got) - kept);
    }
}

Status HistoryReader::take(std::string_view line) {
    std::ranges::fill(row_, kNan);
    if (!read_record(line, layout_, row_)) {
        TENON_TRY(lay_out(line));
        std::ranges::fill(row_, kNan);
        read_record(line, layout_, row_);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        append(columns_[i], row_[i], expected_);
    }
    ++records_;
    return {};
}

// Sets the columns for a line whose names differ from those of earlier lines.
Status HistoryReader::lay_out(std::string_view line) {
    std::vector<std::string_view> names;
    if (!names_of_record(line, names)) {
        return input_problem(
            "record " + std::to_string(records_ + 1) + " of " + file_.string() +
            " is not an object of numbers; the file is damaged, or was written by a later version of tenon");
    }
    if (names.size() > kMostNames) {
        return input_problem("a record of " + file_.string() + " has more than " + std::to_string(kMostNames) +
                             " numbers");
    }
    layout_.values.clear();
    for (const std::string_view name : names) {
        auto found = column_of_.find(name);
        if (found == column_of_.end()) {
            if (names_.size() == kMostNames) {
                return input_problem("the records of " + file_.string() + " have more than " +
                                     std::to_string(kMostNames) + " different names");
            }
            const bool kept = only_.empty() || std::ranges::find(only_, name) != only_.end();
            found = column_of_.emplace(name, kept ? columns_.size() : RecordLayout::kUnread).first;
            names_.emplace_back(name);
            if (kept) {
                columns_.emplace_back().assign(records_, kNan);
            }
        }
        layout_.values.push_back({(layout_.values.empty() ? "{\"" : ",\"") + std::string(name) + "\":", found->second});
    }
    row_.resize(columns_.size());
    return {};
}

}  // namespace tenon
