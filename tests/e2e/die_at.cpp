// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, kills it as kill -9 does at one exact step on the way to the disk.
//   DIE_AT=OPERATION:PATTERN:N   the Nth OPERATION on a path that matches PATTERN (as a shell's):
//     write     when half of the bytes are written     fsync     before it (fdatasync too)
//     rename    before it; the path is the new one     symlink, unlink   before it; unlink is of files and folders
#include <dlfcn.h>
#include <fnmatch.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

struct Wish {
    std::string operation;
    std::string pattern;
    std::atomic<long> left;
};

// Left to the system at the end: files are written by destructors of others too.
Wish* read_wish() {
    const char* variable = std::getenv("DIE_AT");
    const std::string text = variable == nullptr ? "" : variable;
    const std::size_t first = text.find(':');
    const std::size_t last = text.rfind(':');
    const long number = first < last ? std::strtol(text.c_str() + last + 1, nullptr, 10) : 0;
    if (number < 1) {
        std::fputs("die_at: DIE_AT must be OPERATION:PATTERN:N\n", stderr);
        std::abort();
    }
    return new Wish{text.substr(0, first), text.substr(first + 1, last - first - 1), number};
}

bool is_time(std::string_view operation, const char* path) {
    static Wish* const wish = read_wish();
    return operation == wish->operation && fnmatch(wish->pattern.c_str(), path, 0) == 0 && --wish->left == 0;
}

bool is_time(std::string_view operation, int file) {
    std::array<char, PATH_MAX> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    return readlink(link.c_str(), path.data(), path.size() - 1) >= 0 && is_time(operation, path.data());
}

template <class F>
void die_before(std::string_view operation, F file_or_path) {
    if (is_time(operation, file_or_path)) {
        static_cast<void>(std::raise(SIGKILL));
    }
}

// What the program would have called.
template <class F>
F* real(F* /*of this type*/, const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, std::size_t size) {
    auto* const next = real(&write, "write");
    if (is_time("write", file) && next(file, bytes, size / 2) >= 0) {
        static_cast<void>(std::raise(SIGKILL));
    }
    return next(file, bytes, size);
}

int fsync(int file) {
    die_before("fsync", file);
    return real(&fsync, "fsync")(file);
}

int fdatasync(int file) {
    die_before("fsync", file);
    return real(&fdatasync, "fdatasync")(file);
}

int rename(const char* from, const char* to) noexcept {
    die_before("rename", to);
    return real(&rename, "rename")(from, to);
}

int symlink(const char* target, const char* path) noexcept {
    die_before("symlink", path);
    return real(&symlink, "symlink")(target, path);
}

int unlink(const char* path) noexcept {
    die_before("unlink", path);
    return real(&unlink, "unlink")(path);
}

int remove(const char* path) noexcept {
    die_before("unlink", path);
    return real(&remove, "remove")(path);
}

// remove_all deletes by folder descriptor and name.
int unlinkat(int folder, const char* path, int flags) noexcept {
    die_before("unlink", path);
    return real(&unlinkat, "unlinkat")(folder, path, flags);
}
}
