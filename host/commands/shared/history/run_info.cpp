// SPDX-License-Identifier: Apache-2.0
#include "shared/history/run_info.hpp"

#include <charconv>
#include <set>
#include <utility>

#include "base/file/read.hpp"
#include "config/manifest/document_text.hpp"
#include "config/manifest/parse.hpp"
#include "folder/records/folder.hpp"

namespace tenon {
namespace {

constexpr Largest kLargest{.bytes = std::uint64_t{16} << 20U, .kind = "manifest"};

std::int64_t integer_at(const ManifestValues& values, std::string_view key) {
    const std::string text = plain_value(values, key);
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

Result<RunInfo> read_run_info(const std::filesystem::path& folder) {
    TENON_TRY(check_holds_run(folder));
    const std::filesystem::path path = folder / "manifest.lock.toml";
    const std::string text = TENON_TRY(read_file(path, kLargest));
    TomlTable table = TENON_TRY(parse_toml(text, path.string()));  // it is complete: it includes no other files
    RunInfo out{.folder = folder, .values = flatten(Document{.root = std::move(table), .place = {}})};
    out.counts_updates = out.values.contains("train.total_updates");
    out.length = integer_at(out.values, out.counts_updates ? "train.total_updates" : "run.total_frames");
    return out;
}

std::string_view position_metric(const RunInfo& run) {
    return run.counts_updates ? "train/n_updates" : "frames";
}

std::string plain_value(const ManifestValues& values, std::string_view key) {
    const auto found = values.find(std::string(key));
    if (found == values.end()) {
        return {};
    }
    const std::string& text = found->second;
    const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string> differing_keys(std::span<const RunInfo> runs) {
    std::set<std::string> keys;
    for (const RunInfo& run : runs) {
        for (const auto& [key, value] : run.values) {
            keys.insert(key);
        }
    }
    std::erase_if(keys, [&](const std::string& key) {
        for (const RunInfo& run : runs) {
            const auto found = run.values.find(key);
            const auto first = runs.front().values.find(key);
            if (found == run.values.end() || first == runs.front().values.end() || found->second != first->second) {
                return false;
            }
        }
        return true;
    });
    return {keys.begin(), keys.end()};
}

}  // namespace tenon
