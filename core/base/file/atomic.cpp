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
    Status named = give_name(temporary, path);
    return named ? sync_path(folder_of(path)) : named;
}

// A failure names the temporary file; where its folder is missing, that is what the user has to know.
Status explained(Status failure, const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(folder_of(path), ignored)) {
        return failure;
    }
    return environment_problem("cannot write " + path.string() + ": there is no folder " + folder_of(path).string());
}

void remove_quietly(const std::filesystem::path& path) {
    std::error_code ignored;  // the first problem matters more
    std::filesystem::remove(path, ignored);
}

}  // namespace

Status write_file(const std::filesystem::path& path,
                  const std::function<Status(const std::filesystem::path& temporary)>& fill) {
    const std::filesystem::path temporary = temporary_in_same_folder(path);
    Status status = fill(temporary);
    if (status) {
        status = sync_path(temporary);
    }
    if (status) {
        status = move_into_place(temporary, path);
    }
    if (!status) {
        remove_quietly(temporary);
        return explained(std::move(status), path);
    }
    return status;
}

Status write_file(const std::filesystem::path& path, std::string_view bytes) {
    return write_file(path, [&](const std::filesystem::path& temporary) { return write_and_sync(temporary, bytes); });
}

Status write_quickly(const std::filesystem::path& path, std::string_view bytes) {
    const std::filesystem::path temporary = temporary_in_same_folder(path);
    Status status = write_unsynced(temporary, bytes);
    if (status) {
        status = give_name(temporary, path);
    }
    if (!status) {
        remove_quietly(temporary);
    }
    return status;
}

Status replace_link(const std::filesystem::path& link, const std::filesystem::path& target) {
    const std::filesystem::path temporary = temporary_in_same_folder(link);
    std::error_code code;
    std::filesystem::create_symlink(target, temporary, code);
    if (code) {
        return file_problem("link", link, code.value());
    }
    Status status = move_into_place(temporary, link);
    if (!status) {
        remove_quietly(temporary);
    }
    return status;
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
