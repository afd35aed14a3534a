// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/store.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/error/listed.hpp"
#include "base/file/atomic.hpp"
#include "base/file/draft.hpp"
#include "base/file/sync.hpp"
#include "train/checkpoint/complete.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

// The number of frames in a folder's name as to_string writes it: no sign, no leading zero.
std::optional<std::int64_t> frames_of(std::string_view name) {
    std::int64_t frames = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), frames);
    const bool whole = read.ec == std::errc{} && read.ptr == name.data() + name.size();
    return whole && frames >= 0 && std::to_string(frames) == name ? std::optional(frames) : std::nullopt;
}

// The final name of a draft (".2000.tmp-PID-COUNT"); empty for other names.
std::string_view drafted_name(std::string_view name) {
    const std::size_t mark = name.rfind(".tmp-");
    return name.starts_with('.') && mark != std::string_view::npos && mark > 0 ? name.substr(1, mark - 1)
                                                                               : std::string_view();
}

Result<std::vector<fs::path>> entries_of(const fs::path& directory) {
    std::vector<fs::path> paths;
    std::error_code code;
    for (fs::directory_iterator it(directory, code), end; !code && it != end; it.increment(code)) {
        paths.push_back(it->path());
    }
    if (code && code != std::errc::no_such_file_or_directory) {
        return file_problem("list", directory, code.value());
    }
    return paths;
}

// Removes a checkpoint. It is first renamed to a draft, so that an interruption leaves a draft and not a damaged
// checkpoint.
Status remove_checkpoint(const fs::path& folder) {
    const fs::path aside = temporary_in_same_folder(folder);
    std::error_code code;
    fs::rename(folder, aside, code);
    if (code) {
        return file_problem("remove", folder, code.value());
    }
    fs::remove(aside / "complete.json", code);  // otherwise it would be recovered
    fs::remove_all(aside, code);
    return code ? Status(file_problem("remove", aside, code.value())) : Status();
}

// "best", "best-2", "best-3", ...
std::string best_link(std::size_t rank) {
    return rank == 0 ? "best" : "best-" + std::to_string(rank + 1);
}

std::string linked_name(const fs::path& directory, const std::string& link) {
    std::error_code code;
    return fs::read_symlink(directory / link, code).filename().string();
}

// The names of the best checkpoints, up to the first missing link.
std::vector<std::string> best_names(const fs::path& directory) {
    std::vector<std::string> out;
    for (std::string name = linked_name(directory, best_link(0)); !name.empty();
         name = linked_name(directory, best_link(out.size()))) {
        out.push_back(std::move(name));
    }
    return out;
}

bool is_scored_only(const fs::path& folder) {
    std::error_code code;
    return fs::exists(folder / kScoredOnly, code);
}

std::string named(const Checkpoint& checkpoint) {
    return "checkpoint " + std::to_string(checkpoint.frames);
}

Status mark(const fs::path& directory, const char* link, std::int64_t frames) {
    const std::string name = std::to_string(frames);
    std::error_code code;
    if (!fs::is_directory(directory / name, code)) {
        return input_problem("there is no checkpoint " + (directory / name).string());
    }
    return fs::read_symlink(directory / link, code) == name ? Status() : replace_link(directory / link, name);
}

// Whether this is a draft that only lacks its name, because its process was killed just before.
bool is_finished_draft(const fs::path& directory, const fs::path& path) {
    const std::string drafted(drafted_name(path.filename().string()));
    const std::optional<std::int64_t> frames = drafted.empty() ? std::nullopt : frames_of(drafted);
    std::error_code code;
    return frames && !fs::exists(directory / drafted, code) && check_complete(path, *frames, Check::kBytes);
}

}  // namespace

bool has_checkpoint(const fs::path& directory) {
    const Result<std::vector<fs::path>> paths = entries_of(directory);
    return !list_checkpoints(directory).empty() || (paths && std::ranges::any_of(*paths, [&](const fs::path& path) {
                                                        return is_finished_draft(directory, path);
                                                    }));
}

// The caller holds the run's lock. So every draft belongs to a dead process, even if its PID is in use again, as is
// common in restarted containers.
Status clean_checkpoints(const fs::path& directory) {
    const std::vector<fs::path> paths = TENON_TRY(entries_of(directory));
    for (const fs::path& path : paths) {
        const std::string name = path.filename().string();
        const std::string drafted(drafted_name(name));
        if (drafted.empty()) {
            continue;
        }
        std::error_code code;
        if (is_finished_draft(directory, path)) {
            fs::rename(path, directory / drafted, code);
        } else {
            fs::remove_all(path, code);
        }
        if (code) {
            return file_problem("clean up", path, code.value());
        }
    }
    return {};
}

Result<Checkpoint> write_checkpoint(const fs::path& directory, std::int64_t frames,
                                    const std::function<Status(const fs::path& folder)>& fill) {
    TENON_TRY(make_folders(directory));
    TENON_TRY(clean_checkpoints(directory));
    const std::string name = std::to_string(frames);
    FolderDraft draft = TENON_TRY(FolderDraft::begin(directory / name));
    TENON_TRY(fill(draft.folder()));
    TENON_TRY(write_complete(draft.folder(), frames));
    TENON_TRY(draft.commit());
    if (!is_scored_only(directory / name)) {
        TENON_TRY(mark_last(directory, frames));
    }
    return Checkpoint{.frames = frames, .folder = directory / name};
}

Status mark_last(const fs::path& directory, std::int64_t frames) {
    return mark(directory, "last", frames);
}

Status mark_best(const fs::path& directory, std::span<const std::int64_t> ranked) {
    std::size_t rank = 0;
    std::error_code code;
    for (const std::int64_t frames : ranked) {
        if (!fs::is_directory(directory / std::to_string(frames), code)) {
            continue;
        }
        TENON_TRY(mark(directory, best_link(rank).c_str(), frames));
        ++rank;
    }
    // Removes the last link first, so that an interruption leaves no gap.
    const std::size_t keep = std::max<std::size_t>(rank, 1);
    for (std::size_t existing = best_names(directory).size(); existing > keep; --existing) {
        const fs::path link = directory / best_link(existing - 1);
        fs::remove(link, code);
        if (code) {
            return file_problem("remove", link, code.value());
        }
    }
    return {};
}

Status keep_newest(const fs::path& directory, std::size_t keep) {
    const std::vector<std::string> best = best_names(directory);
    std::size_t kept = 0;
    for (const ListedCheckpoint& listed : list_checkpoints(directory)) {
        const fs::path& folder = listed.checkpoint.folder;
        const bool scored_only = is_scored_only(folder);
        if (((keep > 0 && kept >= keep) || scored_only) &&
            std::ranges::find(best, folder.filename().string()) == best.end()) {
            TENON_TRY(remove_checkpoint(folder));
        }
        kept += listed.damage.empty() && !scored_only ? 1 : 0;
    }
    return {};
}

std::vector<ListedCheckpoint> list_checkpoints(const fs::path& directory) {
    std::vector<ListedCheckpoint> list;
    const Result<std::vector<fs::path>> paths = entries_of(directory);
    if (!paths) {
        return list;
    }
    for (const fs::path& path : *paths) {
        if (const std::optional<std::int64_t> frames = frames_of(path.filename().string())) {
            const Status checked = check_complete(path, *frames, Check::kSizes);
            list.push_back({{.frames = *frames, .folder = path}, checked ? "" : checked.error().sentence});
        }
    }
    std::sort(list.begin(), list.end(), [](const ListedCheckpoint& a, const ListedCheckpoint& b) {
        return a.checkpoint.frames > b.checkpoint.frames;
    });
    return list;
}

Result<NewestCheckpoint> newest_checkpoint(const fs::path& directory) {
    NewestCheckpoint newest;
    for (const ListedCheckpoint& listed : list_checkpoints(directory)) {
        const Checkpoint& candidate = listed.checkpoint;
        if (is_scored_only(candidate.folder)) {
            continue;
        }
        std::string damage = listed.damage;
        if (damage.empty()) {
            const Status checked = check_complete(candidate.folder, candidate.frames, Check::kBytes);
            damage = checked ? "" : checked.error().sentence;
        }
        if (damage.empty()) {
            newest.checkpoint = candidate;
            newest.notice += newest.notice.empty() ? "" : "; using instead: " + named(candidate);
            return newest;
        }
        newest.notice += (newest.notice.empty() ? "" : "; ") + named(candidate) + " is damaged: " + damage;
    }
    if (!newest.notice.empty()) {
        return input_problem("no checkpoint in " + directory.string() + " can be used: " + newest.notice);
    }
    return newest;
}

bool has_best(const fs::path& directory) {
    return frames_of(linked_name(directory, best_link(0))).has_value();
}

namespace {

// Whether it is "best-2" and so on.
bool is_rank(std::string_view which) {
    constexpr std::string_view kPrefix = "best-";
    const std::optional<std::int64_t> rank =
        which.starts_with(kPrefix) ? frames_of(which.substr(kPrefix.size())) : std::nullopt;
    return rank && *rank >= 2;
}

Result<Checkpoint> checkpoint_at(const fs::path& folder) {
    const Result<std::int64_t> frames = frames_in(folder);
    if (!frames) {
        return input_problem(folder.string() + " holds no checkpoint: " + frames.error().sentence);
    }
    if (Status checked = check_complete(folder, *frames, Check::kBytes); !checked) {
        return input_problem("the checkpoint in " + folder.string() + " is damaged: " + checked.error().sentence);
    }
    return Checkpoint{.frames = *frames, .folder = folder};
}

}  // namespace

Result<Checkpoint> find_checkpoint(const fs::path& directory, std::string_view which) {
    if (which == "last") {
        NewestCheckpoint newest = TENON_TRY(newest_checkpoint(directory));
        if (!newest.checkpoint) {
            return input_problem("there is no checkpoint in " + directory.string() + " yet");
        }
        return *newest.checkpoint;
    }
    const bool is_link = which == "best" || is_rank(which);
    const std::string name = is_link ? linked_name(directory, std::string(which)) : std::string(which);
    const std::optional<std::int64_t> frames = frames_of(name);
    if (!frames && is_link && has_best(directory)) {
        const std::size_t kept = best_names(directory).size();
        return input_problem("there is no " + std::string(which) + " in " + directory.string() + ", which keeps the " +
                                 (kept == 1 ? "best checkpoint only" : std::to_string(kept) + " best checkpoints"),
                             {}, "checkpoint.best says how many a run keeps");
    }
    if (!frames && is_link) {
        return input_problem("no checkpoint in " + directory.string() + " is marked as the best", {},
                             "evaluations mark one, and this run has had none; --checkpoint last uses the newest");
    }
    std::error_code code;
    if (!frames && fs::is_directory(name, code)) {
        return checkpoint_at(name);
    }
    if (!frames) {
        return input_problem(
            "'" + name + "' is not a checkpoint: give last, best, a number of frames or the folder of a checkpoint");
    }
    const fs::path folder = directory / name;
    if (!fs::is_directory(folder, code)) {
        const std::string existing = listed(list_checkpoints(directory), [](const ListedCheckpoint& each) {
            return std::to_string(each.checkpoint.frames);
        });
        return input_problem("there is no checkpoint " + folder.string() +
                             (existing.empty() ? "; this folder has none" : "; this folder has " + existing));
    }
    if (Status checked = check_complete(folder, *frames, Check::kBytes); !checked) {
        return input_problem("checkpoint " + name + " is damaged: " + checked.error().sentence);
    }
    return Checkpoint{.frames = *frames, .folder = folder};
}

}  // namespace tenon
