// SPDX-License-Identifier: Apache-2.0
// The folder of a run: manifest.lock.toml, plugins.toml, metrics.jsonl, metrics.csv, checkpoints/, and a lock that
// prevents a second process from writing to the same run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"
#include "folder/records/lock.hpp"

namespace tenon {

class RunFolder {
public:
    // A new run in `out` or, if that is empty, in <runs>/<name>-<n> with the next number. `manifest` becomes
    // manifest.lock.toml, `plugins` plugins.toml. A folder that already contains a run is refused; other content is
    // allowed (others). On failure, everything created is removed.
    static Result<RunFolder> create(const std::filesystem::path& out, const std::filesystem::path& runs,
                                    std::string_view name, std::string_view manifest, std::string_view plugins);

    // What was in the folder of a new run before it: "notes.txt, src and 3 more". Hidden files do not count.
    [[nodiscard]] const std::string& others() const { return others_; }

    // Opens an existing run to resume it.
    static Result<RunFolder> reopen(const std::filesystem::path& folder);

    // Marks in the lock that the run ended as intended, finished or not.
    void mark_released() const { tenon::mark_released(lock_); }

    // Removes what create has made, and empty files and folders that the run has added.
    void discard() const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path manifest() const { return path_ / "manifest.lock.toml"; }
    [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }

private:
    RunFolder(std::filesystem::path path, PrivateDescriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_;  // the folder and its parents that were missing
    std::string others_;
    PrivateDescriptor lock_;  // held while it is open
};

// Creates <runs>/<name>-<n> with the next number, for several runs in folders of their own.
Result<std::filesystem::path> make_numbered_folder(const std::filesystem::path& runs, std::string_view name);

// The version of a run folder's format, which plugins.toml states. Folders without it have version 1.
inline constexpr std::int64_t kRunFormat = 1;

// Checks that the folder contains a run, and that its version is not a later one; the problem says what is missing.
Status check_holds_run(const std::filesystem::path& folder);

// For messages to a person who gave the folder of several runs instead of one run's: the first of the runs at most
// `depth` folders below this one, and how many more there are, "runs/ppo/0 and 4 more". Empty: there are none.
std::string runs_in(const std::filesystem::path& folder, int depth);

}  // namespace tenon
