// SPDX-License-Identifier: Apache-2.0
#include "commands/prune/deletions.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "base/file/sync.hpp"
#include "run/start/kinds.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/checkpoint/kept_file.hpp"
#include "train/checkpoint/store.hpp"

namespace tenon::host {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
        out.push_back(it->path());
    }
    return out;
}

std::vector<fs::path> buffer_files(const fs::path& checkpoint) {
    std::vector<fs::path> out = {buffer_of(checkpoint), kept_of(checkpoint)};
    for (const StorageKind* const kind : storage_kinds()) {
        if (!kind->has_folder() && !kind->checkpoint_file().empty()) {
            out.push_back(checkpoint / kind->checkpoint_file());
        }
    }
    std::erase_if(out, [](const fs::path& file) {
        std::error_code code;
        return !fs::exists(file, code);
    });
    return out;
}

// Members of a population share files of checkpoints as hard links; deleting one of several names frees nothing.
std::uint64_t bytes_freed(const std::vector<fs::path>& files) {
    std::uint64_t bytes = 0;
    for (const fs::path& file : files) {
        std::error_code code;
        if (fs::hard_link_count(file, code) == 1) {
            const std::uintmax_t size = fs::file_size(file, code);
            bytes += code ? 0 : size;
        }
    }
    return bytes;
}

// The checkpoints to which `best`, `best-2` and so on point.
std::set<std::string> best_checkpoints(const fs::path& directory) {
    std::set<std::string> out;
    for (const fs::path& link : files_in(directory)) {
        std::error_code code;
        if (link.filename().string().starts_with("best")) {
            out.insert(fs::read_symlink(link, code).filename().string());
        }
    }
    return out;
}

}  // namespace

// Applies the rule of keep_newest, which deletes checkpoints in a run.
Deletions deletions_in(const fs::path& directory, std::size_t keep, bool buffers) {
    Deletions out;
    const std::set<std::string> best = best_checkpoints(directory);
    std::size_t kept = 0;
    for (const ListedCheckpoint& listed : list_checkpoints(directory)) {
        const auto& [frames, folder] = listed.checkpoint;
        std::error_code code;
        const bool scored_only = fs::exists(folder / kScoredOnly, code);
        const bool stays = (kept < keep && !scored_only) || best.contains(folder.filename().string());
        kept += listed.damage.empty() && !scored_only ? 1 : 0;
        const std::vector<fs::path> files = !stays                             ? files_in(folder)
                                            : buffers && listed.damage.empty() ? buffer_files(folder)
                                                                               : std::vector<fs::path>();
        out.bytes += bytes_freed(files);
        if (!stays || !files.empty()) {
            std::vector<std::int64_t>& named = stays ? out.buffers : out.checkpoints;
            named.insert(named.begin(), frames);
        }
    }
    return out;
}

// Links the other files into a new folder, because a full disk has no room for copies.
Status delete_buffer(const fs::path& directory, std::int64_t frames, bool newest) {
    const fs::path whole = directory / std::to_string(frames);
    const std::vector<fs::path> buffer = buffer_files(whole);
    const auto fill = [&](const fs::path& draft) -> Status {
        for (const fs::path& file : files_in(whole)) {
            if (file.filename() == "complete.json" || std::ranges::find(buffer, file) != buffer.end()) {
                continue;
            }
            std::error_code code;
            fs::create_hard_link(file, draft / file.filename(), code);
            if (code) {
                fs::copy_file(file, draft / file.filename(), code);
            }
            if (code) {
                return file_problem("copy", file, code.value());
            }
        }
        return newest ? Status() : write_and_sync(draft / kScoredOnly, "tenon prune has deleted its buffer\n");
    };
    const Result<Checkpoint> written = write_checkpoint(directory, frames, fill);
    return written ? Status() : Status(written.error());
}

}  // namespace tenon::host
