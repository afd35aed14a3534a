// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/complete.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/listed.hpp"
#include "base/file/read.hpp"
#include "base/file/sha256.hpp"
#include "base/file/sync.hpp"
#include "base/json/read.hpp"
#include "base/json/write.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCompleteName = "complete.json";
constexpr Largest kLargest{.bytes = std::uint64_t{16} << 20U, .kind = "list of a checkpoint's files"};

struct Listed {
    std::string name;
    std::int64_t bytes = 0;
    std::string sha256;
};

struct Complete {
    std::int64_t frames = 0;
    std::vector<Listed> files;
};

Result<std::vector<Listed>> list_files(const fs::path& folder) {
    std::vector<Listed> files;
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        const fs::path& path = it->path();
        if (it->is_directory(code) && !it->is_symlink() && path.filename().string().starts_with("shard-")) {
            continue;  // its files follow
        }
        const std::uintmax_t size = it->file_size(code);
        if (code || it->is_symlink()) {
            return environment_problem("a checkpoint holds regular files only, not " + path.string());
        }
        std::string hash = TENON_TRY(sha256_of_file(path));
        files.push_back({path.lexically_relative(folder).string(), static_cast<std::int64_t>(size), std::move(hash)});
    }
    if (code) {
        return file_problem("list", folder, code.value());
    }
    std::sort(files.begin(), files.end(), [](const Listed& a, const Listed& b) { return a.name < b.name; });
    return files;
}

bool stays_in_folder(const fs::path& name) {
    return !name.empty() && name.is_relative() && std::ranges::find(name, fs::path("..")) == name.end();
}

template <class T>
const T* member(const Json& json, std::string_view key) {
    const Json* found = json.find(key);
    return found == nullptr ? nullptr : found->get<T>();
}

Result<Complete> read_complete(const fs::path& path) {
    const std::string text = TENON_TRY(read_file(path, kLargest));
    const Json json = TENON_TRY(parse_json(text, path.string()));
    const auto* frames = member<std::int64_t>(json, "frames");
    const auto* files = member<JsonArray>(json, "files");
    if (frames == nullptr || files == nullptr) {
        return input_problem(path.string() + " does not list the files of a checkpoint");
    }
    Complete complete{.frames = *frames, .files = {}};
    for (const Json& file : *files) {
        const auto* name = member<std::string>(file, "name");
        const auto* bytes = member<std::int64_t>(file, "bytes");
        const auto* sha256 = member<std::string>(file, "sha256");
        if (name == nullptr || bytes == nullptr || sha256 == nullptr || !stays_in_folder(*name)) {
            return input_problem(path.string() + " does not list the files of a checkpoint");
        }
        complete.files.push_back({*name, *bytes, *sha256});
    }
    return complete;
}

Status check_file(const fs::path& path, const Listed& listed, Check check) {
    std::error_code code;
    const std::uintmax_t size = fs::file_size(path, code);
    if (code) {
        return input_problem(path.string() + " is missing");
    }
    if (size != static_cast<std::uintmax_t>(listed.bytes)) {
        return input_problem(path.string() + " has " + counted(size, "byte") + " instead of " +
                             std::to_string(listed.bytes));
    }
    if (check == Check::kSizes) {
        return {};
    }
    const std::string hash = TENON_TRY(sha256_of_file(path));
    return hash == listed.sha256
               ? Status()
               : input_problem(path.string() + " has been changed since it was written (its sha256 differs)");
}

}  // namespace

Status write_complete(const fs::path& folder, std::int64_t frames) {
    const std::vector<Listed> files = TENON_TRY(list_files(folder));
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("frames").integer(frames).key("files").begin_array();
    for (const Listed& file : files) {
        json.begin_object().key("name").text(file.name).key("bytes").integer(file.bytes);
        json.key("sha256").text(file.sha256).end_object();
    }
    json.end_array().end_object();
    return write_and_sync(folder / kCompleteName, text + "\n");
}

Result<std::int64_t> frames_in(const fs::path& folder) {
    const Complete complete = TENON_TRY(read_complete(folder / kCompleteName));
    return complete.frames;
}

Status check_complete(const fs::path& folder, std::int64_t frames, Check check) {
    const fs::path path = folder / kCompleteName;
    const Complete complete = TENON_TRY(read_complete(path));
    if (complete.frames != frames) {
        return input_problem(path.string() + " belongs to a checkpoint of " + counted(complete.frames, "frame"));
    }
    for (const Listed& file : complete.files) {
        TENON_TRY(check_file(folder / file.name, file, check));
    }
    return {};
}

}  // namespace tenon
