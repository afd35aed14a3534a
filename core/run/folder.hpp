// SPDX-License-Identifier: Apache-2.0
// The folder of a run: manifest.lock.toml, plugins.toml, metrics.jsonl, metrics.csv, checkpoints/, and a lock that
// keeps a second process from writing the same run.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "error/result.hpp"
#include "file/sync.hpp"

namespace tenon {

class RunFolder {
public:
    // A new run in `out`, or, if that is empty, in <runs>/<name>-<n> with the number after the highest there.
    // `manifest` becomes manifest.lock.toml, `plugins` plugins.toml. A folder that already holds a run is refused, one
    // with other things in it is not. Whatever was made is removed again on failure.
    static Result<RunFolder> create(const std::filesystem::path& out, const std::filesystem::path& runs,
                                    std::string_view name, std::string_view manifest, std::string_view plugins);

    // A run that is there, to go on with it.
    static Result<RunFolder> reopen(const std::filesystem::path& folder);

    // Takes away what create has made, and the empty files and folders that a run has put into it since.
    void discard() const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path manifest() const { return path_ / "manifest.lock.toml"; }
    [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }

private:
    RunFolder(std::filesystem::path path, FileDescriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

    std::filesystem::path path_;
    std::vector<std::filesystem::path> made_;  // the folder and those above it, as far as they were missing
    FileDescriptor lock_;                      // held as long as it is open
};

// Whether there is a run in the folder; the problem says what is missing.
Status check_holds_run(const std::filesystem::path& folder);

}  // namespace tenon
