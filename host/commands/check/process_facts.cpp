// SPDX-License-Identifier: Apache-2.0
#include "commands/check/process_facts.hpp"

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/error/listed.hpp"

namespace tenon {
namespace {

std::size_t entries_of(const char* folder) {
    std::error_code code;
    const std::filesystem::directory_iterator entries(folder, code);
    return code ? 0 : static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

std::string signal_handlers() {
    std::string out;
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action{};
        if (::sigaction(signal, nullptr, &action) == 0) {
            out += std::to_string(reinterpret_cast<std::uintptr_t>(action.sa_handler)) + ' ';
        }
    }
    return out;
}

}  // namespace

ProcessFacts ProcessFacts::now() {
    std::error_code code;
    return {.threads = entries_of("/proc/self/task"),
            .files = entries_of("/proc/self/fd"),
            .folder = std::filesystem::current_path(code).string(),
            .locale = std::setlocale(LC_ALL, nullptr),
            .handlers = signal_handlers()};
}

std::string change(const ProcessFacts& before, const ProcessFacts& after) {
    if (after.threads != before.threads) {
        return counted(after.threads, "thread") + (after.threads == 1 ? " is" : " are") + " running, instead of " +
               std::to_string(before.threads);
    }
    if (after.files != before.files) {
        return counted(after.files, "file") + (after.files == 1 ? " is" : " are") + " open, instead of " +
               std::to_string(before.files);
    }
    if (after.folder != before.folder) {
        return "the working folder is " + after.folder + " instead of " + before.folder;
    }
    if (after.locale != before.locale) {
        return "the locale is " + after.locale + " instead of " + before.locale;
    }
    return after.handlers != before.handlers ? "the handler of a signal has changed" : "";
}

std::size_t resident_bytes() {
    std::ifstream in("/proc/self/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    in >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t heap_bytes() {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

Verdict check_heap(std::uint64_t count, const std::string& turns, const std::function<Status(std::uint64_t)>& turn) {
    constexpr std::size_t kAllowed = std::size_t{64} << 10U;
    std::size_t before = 0;
    for (std::uint64_t number = 0; number < count; ++number) {
        before = number == count / 10 ? heap_bytes() : before;
        TENON_TRY(turn(number));
    }
    const std::size_t more = heap_bytes() - std::min(heap_bytes(), before);
    return more <= kAllowed ? passed()
                            : failed("after " + std::to_string(count) + " " + turns + " it holds " +
                                     std::to_string(more >> 10U) + " more KiB of memory");
}

}  // namespace tenon
