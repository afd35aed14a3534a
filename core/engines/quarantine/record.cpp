// SPDX-License-Identifier: Apache-2.0
#include "engines/quarantine/record.hpp"

#include <sys/stat.h>

#include <utility>

#include "base/json/read.hpp"
#include "base/json/write.hpp"
#include "plugins/plugin/error_text.hpp"
#include "tenon/abi/types.h"

namespace tenon {
namespace {

constexpr std::string_view kHashDigits = "0123456789abcdef";

bool is_sha256(std::string_view text) {
    return text.size() == 64 && text.find_first_not_of(kHashDigits) == text.npos;
}

template <class T>
bool take(const Json& record, std::string_view key, T& out) {
    const Json* const found = record.find(key);
    const T* const value = found != nullptr ? found->get<T>() : nullptr;
    if (value != nullptr) {
        out = *value;
    }
    return value != nullptr;
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::filesystem::path& file) {
    struct stat info{};
    if (::stat(file.c_str(), &info) != 0) {
        return std::nullopt;
    }
    constexpr std::int64_t kSecond = 1'000'000'000;
    return FileStamp{.size = info.st_size,
                     .modified = info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec,
                     .inode = static_cast<std::int64_t>(info.st_ino)};
}

std::string host_version() {
    return TENON_VERSION " (plugin ABI " + std::to_string(TN_ABI_MAJOR) + "." + std::to_string(TN_ABI_MINOR) + ")";
}

std::string write_record(const LoadingRecord& record) {
    std::string out;
    JsonWriter json(out);
    json.begin_object().key("path").text(repaired(record.path)).key("size").integer(record.stamp.size);
    json.key("modified").integer(record.stamp.modified).key("inode").integer(record.stamp.inode);
    json.key("sha256").text(record.sha256).key("host").text(record.host);
    json.key("end").text(record.end).key("tried_at").integer(record.tried_at).end_object();
    return out + "\n";
}

std::optional<LoadingRecord> read_record(std::string_view text) {
    const Result<Json> json = parse_json(text, "the record");
    LoadingRecord out;
    const bool whole = json && take(*json, "path", out.path) && take(*json, "size", out.stamp.size) &&
                       take(*json, "modified", out.stamp.modified) && take(*json, "inode", out.stamp.inode) &&
                       take(*json, "sha256", out.sha256) && take(*json, "host", out.host) &&
                       take(*json, "end", out.end) && take(*json, "tried_at", out.tried_at);
    return whole && is_sha256(out.sha256) ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace tenon
