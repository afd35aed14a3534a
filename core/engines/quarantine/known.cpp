// SPDX-License-Identifier: Apache-2.0
#include "engines/quarantine/known.hpp"

#include <string>
#include <system_error>

#include "base/error/result.hpp"
#include "base/file/atomic.hpp"
#include "base/file/read.hpp"
#include "base/file/sha256.hpp"
#include "base/file/state_folder.hpp"
#include "base/log/log.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

// Records are never longer; a longer file is not ours.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 16U;

// Empty if there is none.
fs::path folder_of_records() {
    const fs::path folder = state_folder();
    return folder.empty() ? fs::path() : folder / "plugins";
}

fs::path place_of_record(const std::string& file) {
    const fs::path folder = folder_of_records();
    return folder.empty() ? fs::path() : folder / (sha256(file).substr(0, 32) + ".json");
}

std::optional<LoadingRecord> read_at(const fs::path& place) {
    std::error_code failure;
    if (place.empty() || !fs::is_regular_file(place, failure) || fs::file_size(place, failure) > kMostBytes) {
        return std::nullopt;
    }
    const Result<std::string> text = read_file(place);
    return text ? read_record(*text) : std::nullopt;
}

}  // namespace

std::optional<LoadingRecord> recall(const fs::path& file) {
    std::optional<LoadingRecord> record = read_at(place_of_record(file.string()));
    const std::optional<FileStamp> stamp = stamp_of(file);
    if (!record || !stamp || record->host != host_version()) {
        return std::nullopt;
    }
    if (*stamp == record->stamp) {
        return record;
    }
    const Result<std::string> hash = stamp->size == record->stamp.size ? sha256_of_file(file) : std::string();
    if (!hash || *hash != record->sha256) {
        return std::nullopt;
    }
    record->path = file.string();
    record->stamp = *stamp;
    keep_record(*record);  // speeds up the next check
    return record;
}

void keep_record(const LoadingRecord& record) {
    const fs::path place = place_of_record(record.path);
    if (place.empty()) {
        return;
    }
    Status kept = make_folders(place.parent_path());
    if (kept) {
        kept = write_quickly(place, write_record(record));
    }
    if (!kept) {
        log(Level::kDebug, "the test of " + record.path + " is not recorded: " + kept.error().sentence);
    }
}

void forget(const fs::path& file) {
    std::error_code ignored;  // treated as unknown
    fs::remove(place_of_record(file.string()), ignored);
}

void forget_gone() {
    const fs::path folder = folder_of_records();
    std::error_code failure;
    std::error_code ignored;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end; it.increment(failure)) {
        const std::optional<LoadingRecord> record = read_at(it->path());  // an invalid record is not ours
        if (record && !fs::exists(record->path, ignored)) {
            fs::remove(it->path(), ignored);
        }
    }
}

}  // namespace tenon
