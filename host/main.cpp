// SPDX-License-Identifier: Apache-2.0
// The program tenon: selects the command and converts its result to an exit code.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/file/spawn.hpp"
#include "base/simd/level_variable.hpp"
#include "command.hpp"
#include "plugins/plugin/crash.hpp"
#include "plugins/plugin/search_path.hpp"
#include "printable_stream.hpp"
#include "report.hpp"
#include "run/sessions/progress.hpp"
#include "tenon/abi/types.h"

namespace tenon::host {
namespace {

void print_help() {
    std::cout << "Usage: tenon COMMAND [options]\n\nReinforcement learning with plugins.\n\nCommands:";
    std::size_t width = 0;
    for (const Command& command : commands()) {
        width = std::max(width, command.name.size());
    }
    std::string_view group;
    for (const Command& command : commands()) {
        if (command.group != std::exchange(group, command.group)) {
            std::cout << '\n';
        }
        std::cout << "  " << command.name << std::string(width - command.name.size() + 3, ' ') << command.summary
                  << '\n';
    }
    std::cout << "\n`tenon help COMMAND` shows its options, `tenon --version` the version of program and plugin ABI.\n"
                 "A program tenon-NAME on the PATH is the command NAME.\n"
                 "Exit codes: 0 success, 2 wrong input, 3 a plugin failed, 4 disk, memory or device failed,\n"
                 "            1 a defect of tenon itself, 130 ended by a second Ctrl-C (143: SIGTERM).\n"
                 "Environment: TENON_PLUGIN_PATH is a list of folders with plugins, separated by ':';\n"
                 "             TENON_STATE is the folder of the results of first loadings of plugins;\n"
                 "             TENON_LEVEL limits the processor's instructions: avx512, avx2 or base;\n"
                 "             NO_COLOR, if it is not empty, turns colours off.\n"
                 "Messages go to stderr, results to stdout.\n";
}

const Command* find_command(std::string_view name) {
    for (const Command& command : commands()) {
        if (command.name == name) {
            return &command;
        }
    }
    return nullptr;
}

int unknown_command(std::string_view name) {
    std::vector<std::string_view> names = {"help"};
    std::vector<std::string_view> doers;  // whose summary begins with the word, as "train a manifest" does
    for (const Command& command : commands()) {
        names.push_back(command.name);
        if (command.summary.starts_with(std::string(name) + " ")) {
            doers.push_back(command.name);
        }
    }
    const std::string meant =
        doers.size() == 1 ? "; did you mean '" + std::string(doers.front()) + "'?" : did_you_mean(name, names);
    return report(input_problem("there is no command '" + std::string(name) + "'" + meant, {},
                                "`tenon --help` lists the commands"));
}

// Runs somebody's own program `tenon-NAME` on the PATH as the command NAME. It replaces this process, and finds plugins
// and modules by TENON_HOME. Returns only if there is none, or if it cannot be started.
std::optional<int> run_from_path(const std::string& name, Arguments words) {
    words.insert(words.begin(), "tenon-" + name);
    const auto path = name.find('/') == std::string::npos ? program_on_path(words.front()) : std::nullopt;
    if (!path) {
        return std::nullopt;
    }
    ::setenv("TENON_HOME", program_folder().parent_path().c_str(), 0);
    const std::vector<char*> arguments = exec_words(words);
    ::execv(path->c_str(), arguments.data());
    return report(
        environment_problem(path->string() + " cannot be started: " + std::generic_category().message(errno)));
}

int dispatch(Arguments words) {
    if (words.empty()) {
        return report(input_problem("tenon needs a command", {}, "`tenon --help` lists them"));
    }
    const std::string first = words.front();
    words.erase(words.begin());
    if (first == "--version") {
        std::cout << "tenon " TENON_VERSION " (plugin ABI " << TN_ABI_MAJOR << '.' << TN_ABI_MINOR << ")\n";
        return kSuccess;
    }
    if (first == "--help" || first == "-h" || (first == "help" && words.empty())) {
        print_help();
        return kSuccess;
    }
    const bool wants_help = first == "help";
    const std::string name = wants_help ? words.front() : first;
    const Command* command = find_command(name);
    words = wants_help ? Arguments{"--help"} : words;
    if (command == nullptr) {
        const std::optional<int> code = run_from_path(name, words);
        return code ? *code : unknown_command(name);
    }
    if (command->run == nullptr) {
        return report(environment_problem("this build of tenon leaves out the command '" + name + "'", {},
                                          "`./tenon " + name + "` in its clone builds it"));
    }
    return command->run(words);
}

// Whether the program at the other end of the pipe, such as `head`, has closed it. SIGPIPE then ends this program,
// unless the process that started it ignores that signal.
bool reader_has_left() {
    pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

int run(const Arguments& words) {
    const PrintableStream results(std::cout);
    const PrintableStream messages(std::cerr);
    const CrashReports crashes(terminal_style(STDERR_FILENO).redraws);
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));  // writing fails instead, as on a full disk
    if (const Status level = simd::check_level_variable(); !level) {
        return report(level.error());
    }
    int code = kSuccess;
    try {
        code = dispatch(words);
    } catch (const std::bad_alloc&) {
        return report(environment_problem("there is not enough memory"));
    } catch (const std::exception& error) {
        std::cerr << "error: this is a defect of tenon, please report it: " << error.what() << '\n';
        return kDefect;
    }
    if (!std::cout.flush() && code == kSuccess && !reader_has_left()) {
        return report(environment_problem("the results could not be written to stdout"));
    }
    return code;
}

}  // namespace
}  // namespace tenon::host

// Plugins that end the program by these functions find them here, before those of the C library.
extern "C" {
[[gnu::visibility("default")]] void _exit(int code) {  // NOLINT(bugprone-reserved-identifier)
    tenon::CrashReports::end_at_once("_exit", code);
}
[[gnu::visibility("default")]] void _Exit(int code) noexcept {  // NOLINT(bugprone-reserved-identifier)
    tenon::CrashReports::end_at_once("_Exit", code);
}
}

int main(int argc, char** argv) {
    return tenon::host::run({argv + std::min(argc, 1), argv + argc});
}
