// SPDX-License-Identifier: Apache-2.0
#include "base/file/atomic.hpp"

#include <cstdio>
#include <system_error>
#include <utility>

#include "base/file/sync.hpp"

namespace tenon {
namespace {

Status give_name(const std::filesystem::path& temporary, const std::filesystem::path& path) {
    std::error_code code;
    std::filesystem::rename(temporary, path, code);
    return code ? file_problem("write", path, code.value()) : Status();
}

Status move_into_place(const std::filesystem::path& temporary, const std::filesystem::path& path) {
    TENON_TRY(give_name(temporary, path));
    return sync_path(folder_of(path));
}

// A failure names the temporary file; where its folder is missing, that is what the user has to know.
Status explained(Status status, const std::filesystem::path& path) {
    std::error_code ignored;
    if (status || std::filesystem::is_directory(folder_of(path), ignored)) {
        return status;
    }
    return environment_problem("cannot write " + path.string() + ": there is no folder " + folder_of(path).string());
}

// The same status; the file is removed if it is a failure.
Status or_removed(Status status, const std::filesystem::path& temporary) {
    if (!status) {
        std::error_code ignored;  // the first problem matters more
        std::filesystem::remove(temporary, ignored);
    }
    return status;
}

}  // namespace

Status write_file(const std::filesystem::path& path,
                  const std::function<Status(const std::filesystem::path& temporary)>& fill) {
    const std::filesystem::path temporary = temporary_in_same_folder(path);
    const auto put = [&]() -> Status {
        TENON_TRY(fill(temporary));
        TENON_TRY(sync_path(temporary));
        return move_into_place(temporary, path);
    };
    return explained(or_removed(put(), temporary), path);
}

Status write_file(const std::filesystem::path& path, std::string_view bytes) {
    return write_file(path, [&](const std::filesystem::path& temporary) { return write_and_sync(temporary, bytes); });
}

Status write_quickly(const std::filesystem::path& path, std::string_view bytes) {
    const std::filesystem::path temporary = temporary_in_same_folder(path);
    Status status = write_unsynced(temporary, bytes);
    return or_removed(status ? give_name(temporary, path) : std::move(status), temporary);
}

Status replace_link(const std::filesystem::path& link, const std::filesystem::path& target) {
    const std::filesystem::path temporary = temporary_in_same_folder(link);
    std::error_code code;
    std::filesystem::create_symlink(target, temporary, code);
    if (code) {
        return file_problem("link", link, code.value());
    }
    return or_removed(move_into_place(temporary, link), temporary);
}

Status make_folders(const std::filesystem::path& path) {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (code) {
        return file_problem("create the folder", path, code.value());
    }
    return {};
}

}  // namespace tenon
