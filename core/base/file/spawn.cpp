// SPDX-License-Identifier: Apache-2.0
#include "base/file/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>

#include "base/file/sync.hpp"

namespace tenon {

std::optional<std::filesystem::path> program_on_path(std::string_view name) {
    const char* const folders = std::getenv("PATH");
    std::istringstream list(folders == nullptr ? "" : folders);
    for (std::string folder; std::getline(list, folder, ':');) {
        std::filesystem::path path = std::filesystem::path(folder) / name;
        std::error_code code;
        if (std::filesystem::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0) {
            return path;
        }
    }
    return std::nullopt;
}

std::vector<char*> exec_words(std::vector<std::string>& words) {
    std::vector<char*> out;
    for (std::string& word : words) {
        out.push_back(word.data());
    }
    out.push_back(nullptr);
    return out;
}

Result<pid_t> spawn(const std::filesystem::path& program, std::vector<std::string> words,
                    std::initializer_list<Inherited> descriptors) {
    const std::vector<char*> arguments = exec_words(words);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    // First copies that none of the numbers overwrites.
    int above = 0;
    for (const Inherited& each : descriptors) {
        above = std::max(above, each.number + 1);
    }
    std::vector<FileDescriptor> copies;
    int failure = 0;
    for (const Inherited& each : descriptors) {
        copies.emplace_back(::fcntl(each.descriptor, F_DUPFD_CLOEXEC, above));
        const int added = ::posix_spawn_file_actions_adddup2(&actions, copies.back().get(), each.number);
        failure = failure == 0 ? added : failure;
    }
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t id = 0;
    if (failure == 0) {
        failure = ::posix_spawn(&id, program.c_str(), &actions, &attributes, arguments.data(), environ);
    }
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        return environment_problem(program.string() + " could not be started: " + std::strerror(failure));
    }
    return id;
}

}  // namespace tenon
