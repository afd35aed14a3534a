// SPDX-License-Identifier: Apache-2.0
#include "folder/records/metrics.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace tenon {
namespace {

constexpr std::size_t kLongestNumber = 32;

// The shortest text that reads back to the same number; integers as people write them (100000, not 1e+05).
char* put_number(char* at, double value) {
    constexpr double kWhole = 9007199254740992.0;  // 2^53
    if (std::trunc(value) == value && std::fabs(value) < kWhole) {
        return std::to_chars(at, at + kLongestNumber, static_cast<std::int64_t>(value)).ptr;
    }
    return std::to_chars(at, at + kLongestNumber, value).ptr;
}

char* put_text(char* at, std::string_view text) {
    return std::copy(text.begin(), text.end(), at);
}

// The end of the last complete line.
Result<std::uint64_t> whole_lines(int fd, std::uint64_t length, const std::filesystem::path& path) {
    std::array<char, 4096> block{};
    while (length > 0) {
        const std::uint64_t size = std::min<std::uint64_t>(length, block.size());
        const ssize_t got = pread(fd, block.data(), size, static_cast<off_t>(length - size));
        if (got != static_cast<ssize_t>(size)) {
            return file_problem("read", path, got < 0 ? errno : EIO);
        }
        const auto newline = std::string_view(block.data(), size).rfind('\n');
        if (newline != std::string_view::npos) {
            return length - size + newline + 1;
        }
        length -= size;
    }
    return std::uint64_t{0};
}

struct Lines {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;  // the end of the last line
};

// The first lines of a file, at most `wanted` of them.
Result<Lines> first_lines(int fd, std::uint64_t length, std::uint64_t wanted, const std::filesystem::path& path) {
    std::array<char, 4096> block{};
    Lines lines;
    for (std::uint64_t at = 0; at < length && lines.count < wanted;) {
        const std::uint64_t size = std::min<std::uint64_t>(length - at, block.size());
        if (pread(fd, block.data(), size, static_cast<off_t>(at)) != static_cast<ssize_t>(size)) {
            return file_problem("read", path, EIO);
        }
        for (std::uint64_t i = 0; i < size && lines.count < wanted; ++i) {
            if (block[i] == '\n') {
                ++lines.count;
                lines.bytes = at + i + 1;
            }
        }
        at += size;
    }
    return lines;
}

}  // namespace

Metrics::Metrics(File jsonl, File csv, const std::vector<std::string>& names)
    : jsonl_(std::move(jsonl)), csv_(std::move(csv)) {
    assert(!names.empty());
    std::size_t longest = 2;  // "}\n"
    for (const bool time : {false, true}) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i].starts_with("time/") != time) {
                continue;
            }
            assert(names[i].find_first_of("\",\\\n") == std::string::npos);  // names are the program's, never input
            const bool first = order_.empty();
            csv_header_ += (first ? "" : ",") + names[i];
            keys_.push_back((first ? "{\"" : ",\"") + names[i] + "\":");
            longest += keys_.back().size() + kLongestNumber;
            order_.push_back(i);
        }
    }
    csv_header_ += '\n';
    buffer_.resize(longest);
}

Result<Metrics> Metrics::open(const std::filesystem::path& folder, const std::vector<std::string>& names) {
    File jsonl = TENON_TRY(open_file(folder / "metrics.jsonl"));
    File csv = TENON_TRY(open_file(folder / "metrics.csv"));
    Metrics metrics(std::move(jsonl), std::move(csv), names);
    const Lines lines =
        TENON_TRY(first_lines(metrics.jsonl_.descriptor.get(), metrics.jsonl_.length, UINT64_MAX, metrics.jsonl_.path));
    metrics.records_ = lines.count;
    TENON_TRY(metrics.begin_csv());
    return metrics;
}

Result<Metrics::File> Metrics::open_file(std::filesystem::path path) {
    const int number = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    File file{.descriptor = FileDescriptor(number), .length = 0, .path = std::move(path)};
    struct stat info{};
    if (number < 0 || fstat(number, &info) != 0) {
        return file_problem("open", file.path, errno);
    }
    file.length = static_cast<std::uint64_t>(info.st_size);
    const std::uint64_t whole = TENON_TRY(whole_lines(number, file.length, file.path));
    if (whole != file.length) {
        TENON_TRY(cut(file, whole));
    }
    return file;
}

// Writes the header to an empty file, or compares it with the existing one.
Status Metrics::begin_csv() {
    if (csv_.length == 0) {
        return append(csv_, csv_header_.data(), csv_header_.size());
    }
    std::string found(std::min<std::uint64_t>(csv_.length, csv_header_.size()), '\0');
    if (pread(csv_.descriptor.get(), found.data(), found.size(), 0) != static_cast<ssize_t>(found.size())) {
        return file_problem("read", csv_.path, errno);
    }
    if (found != csv_header_) {
        return input_problem("'" + csv_.path.string() + "' has other columns than this run (" +
                             csv_header_.substr(0, csv_header_.size() - 1) + ")");
    }
    return {};
}

Status Metrics::record(std::span<const double> values) {
    assert(values.size() == order_.size());
    char* at = buffer_.data();
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const double value = values[order_[i]];
        at = put_text(at, keys_[i]);
        at = std::isfinite(value) ? put_number(at, value) : put_text(at, "null");
    }
    at = put_text(at, "}\n");
    const std::uint64_t before = jsonl_.length;
    TENON_TRY(append(jsonl_, buffer_.data(), static_cast<std::size_t>(at - buffer_.data())));
    at = buffer_.data();
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const double value = values[order_[i]];
        at = i == 0 ? at : put_text(at, ",");
        at = std::isnan(value) ? at : put_number(at, value);
    }
    at = put_text(at, "\n");
    Status written = append(csv_, buffer_.data(), static_cast<std::size_t>(at - buffer_.data()));
    if (!written) {
        static_cast<void>(
            cut(jsonl_, before));  // both files hold the same records; if both fail, the first problem is reported
        return written;
    }
    ++records_;
    return written;
}

Status Metrics::append(File& file, const char* bytes, std::size_t size) {
    TENON_TRY(append_whole(file.descriptor, file.path, file.length, {bytes, size}));
    file.length += size;
    return {};
}

Status Metrics::cut(File& file, std::uint64_t length) {
    if (ftruncate(file.descriptor.get(), static_cast<off_t>(length)) != 0) {
        return file_problem("cut", file.path, errno);
    }
    file.length = length;
    return {};
}

Status Metrics::keep_records(std::uint64_t records) {
    std::array<std::uint64_t, 2> lengths{};
    for (const File* file : {&jsonl_, &csv_}) {
        const std::uint64_t header = file == &csv_ ? 1 : 0;
        const Lines kept = TENON_TRY(first_lines(file->descriptor.get(), file->length, records + header, file->path));
        if (kept.count != records + header) {
            return input_problem("'" + file->path.string() + "' has " + std::to_string(kept.count - header) +
                                     " records, but the checkpoint was written when it had " + std::to_string(records),
                                 {},
                                 "put the file back from a copy, or begin a new run with the run's weights: --from");
        }
        lengths[header] = kept.bytes;
    }
    records_ = records;
    TENON_TRY(cut(jsonl_, lengths[0]));
    return cut(csv_, lengths[1]);
}

Status Metrics::sync() {
    for (File* file : {&jsonl_, &csv_}) {
        if (fdatasync(file->descriptor.get()) != 0) {
            return file_problem("sync", file->path, errno);
        }
    }
    return {};
}

}  // namespace tenon
