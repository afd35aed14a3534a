// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/copy_run.hpp"

#include <system_error>

#include "base/file/atomic.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

void copy_entry(const fs::directory_entry& entry, const fs::path& to, bool share, std::error_code& code) {
    if (entry.is_symlink()) {
        return fs::copy_symlink(entry.path(), to, code);
    }
    if (entry.is_directory()) {
        fs::create_directory(to, code);
        for (const auto& below : fs::directory_iterator(entry.path(), code)) {
            if (!code) {
                copy_entry(below, to / below.path().filename(), share || to.filename() == "checkpoints", code);
            }
        }
        return;
    }
    if (share) {
        fs::create_hard_link(entry.path(), to, code);
        if (!code) {
            return;
        }
        code.clear();
    }
    fs::copy_file(entry.path(), to, code);
}

}  // namespace

Status copy_run(const fs::path& from, const fs::path& to) {
    std::error_code code;
    if (fs::exists(to, code)) {
        return {};
    }
    const fs::path draft = to.string() + ".part";
    fs::remove_all(draft, code);
    TENON_TRY(make_folders(draft));
    for (const auto& entry : fs::directory_iterator(from, code)) {
        if (!code && entry.path().filename() != "lock") {
            copy_entry(entry, draft / entry.path().filename(), false, code);
        }
    }
    if (!code) {
        fs::rename(draft, to, code);
    }
    return code ? environment_problem(from.string() + " could not be copied to " + to.string() + ": " + code.message())
                : Status();
}

}  // namespace tenon
