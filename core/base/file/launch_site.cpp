// SPDX-License-Identifier: Apache-2.0
#include "base/file/launch_site.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file/spawn.hpp"

namespace tenon {

Result<std::chrono::seconds> waiting_limit(const std::string& text) {
    constexpr std::int64_t kMost = 1'000'000;
    if (text.empty()) {
        return kUsualWait;
    }
    std::int64_t seconds = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (failure != std::errc() || end != text.data() + text.size() || seconds < 1 || seconds > kMost) {
        return input_problem("TENON_WAIT is '" + text + "', but must be a number of seconds, 1 to " +
                             std::to_string(kMost));
    }
    return std::chrono::seconds(seconds);
}

Result<std::chrono::seconds> waiting_limit_of_process() {
    const char* const text = std::getenv("TENON_WAIT");
    return waiting_limit(text != nullptr ? text : "");
}

Result<LaunchSite> launch_site() {
    std::error_code code;
    LaunchSite out{.folder = std::filesystem::current_path(code).string(), .environment = {}};
    if (code) {
        return environment_problem("the current folder has no path: " + code.message());
    }
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (std::string_view(*variable).starts_with("TENON_")) {
            out.environment.emplace_back(*variable);
        }
    }
    return out;
}

Status enter(const LaunchSite& site, std::string_view key) {
    if (::chdir(site.folder.c_str()) != 0) {
        return environment_problem(
            "the folder " + site.folder + ", in which the run was started, cannot be entered on " +
                name_of_this_machine() + ": " + std::generic_category().message(errno),
            {},
            key.starts_with("collector.")
                ? "make it there; it may be empty"
                : std::string(key) + " needs machines that see the same files under the same paths");
    }
    for (const std::string& variable : site.environment) {
        if (const std::size_t equals = variable.find('='); equals != std::string::npos) {
            ::setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
        }
    }
    return {};
}

std::string name_of_this_machine() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "another machine";
}

std::string name_of_this_process() {
    return name_of_this_machine() + ", process " + std::to_string(::getpid());
}

Status check_secret(std::string_view endpoint, const std::string& secret, const std::string& what,
                    const std::string& whose) {
    const bool is_here = !endpoint.starts_with("tcp://") || endpoint.starts_with("tcp://127.") ||
                         endpoint.starts_with("tcp://localhost:") || endpoint.starts_with("tcp://[::1]:");
    return is_here || !secret.empty() ? Status()
                                      : Status(input_problem(what + ", and TENON_KEY is not set", {},
                                                             "set TENON_KEY to one secret for " + whose +
                                                                 ", such as that of openssl rand -hex 32"));
}

Result<std::vector<std::string>> words_of_command(std::string_view text, std::string_view key) {
    std::vector<std::string> out;
    bool in_word = false;
    char quote = 0;
    for (const char letter : text) {
        if (quote == 0 && letter == ' ') {
            in_word = false;
            continue;
        }
        if (!in_word) {
            out.emplace_back();
            in_word = true;
        }
        if (quote != 0 ? letter == quote : letter == '\'' || letter == '"') {
            quote = quote != 0 ? '\0' : letter;
        } else {
            out.back() += letter;
        }
    }
    if (quote != 0) {
        return input_problem(std::string(key) + " has a quotation mark without its second one: " + std::string(text));
    }
    return out;
}

Status check_command(const std::vector<std::string>& words, std::string_view key) {
    if (words.empty()) {
        return input_problem(std::string(key) + " has an empty command; write one such as \"ssh node7\"");
    }
    if (words.front().find('/') == std::string::npos && !program_on_path(words.front())) {
        return environment_problem(std::string(key) + " starts processes by '" + words.front() +
                                   "', which is not on the PATH");
    }
    return {};
}

std::string quoted_command(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) {
        out += (out.empty() ? "'" : " ") + word;
    }
    return out + "'";
}

std::string how_command_ended(const std::vector<std::string>& words, int status) {
    return quoted_command(words) + " ended by " +
           (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                : "exit code " + std::to_string(WEXITSTATUS(status)));
}

}  // namespace tenon
