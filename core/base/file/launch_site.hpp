// SPDX-License-Identifier: Apache-2.0
// The folder and the variables TENON_* of a process that starts another one on another machine, which sees the same
// files.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct LaunchSite {
    std::string folder;
    std::vector<std::string> environment;  // NAME=VALUE
};

// The launch site of this process.
Result<LaunchSite> launch_site();

// Makes them those of this process. `key`: what the user has given to start it, for the sentence.
Status enter(const LaunchSite& site, std::string_view key);

std::string name_of_this_machine();
std::string name_of_this_process();  // "node7, process 812"

// How long processes of other machines are waited for. `text`: TENON_WAIT, a number of seconds; empty: kUsualWait.
inline constexpr std::chrono::seconds kUsualWait = std::chrono::minutes(10);
Result<std::chrono::seconds> waiting_limit(const std::string& text);
Result<std::chrono::seconds> waiting_limit_of_process();

// Refuses an endpoint on the network ("tcp://HOST:PORT") without a secret. `what`: the beginning of the sentence;
// `whose`: the processes that share it.
Status check_secret(std::string_view endpoint, const std::string& secret, const std::string& what,
                    const std::string& whose);

// The words of a command that a user has written, separated by spaces; '..' and ".." keep spaces in a word. `key` names
// the option in problems.
Result<std::vector<std::string>> words_of_command(std::string_view text, std::string_view key);

// Checks that the program of the command exists.
Status check_command(const std::vector<std::string>& words, std::string_view key);

// The command as a sentence shows it: "'ssh node7'".
std::string quoted_command(const std::vector<std::string>& words);

// "'ssh node7' ended by exit code 255", of a status of waitpid.
std::string how_command_ended(const std::vector<std::string>& words, int status);

}  // namespace tenon
