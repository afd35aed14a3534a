// SPDX-License-Identifier: Apache-2.0
#include "commands/run/for_launcher.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <string>
#include <thread>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "base/file/end_process.hpp"
#include "base/file/launch_site.hpp"
#include "base/file/stop_signals.hpp"
#include "command.hpp"
#include "report.hpp"
#include "shared/seeds/remote_request.hpp"

namespace tenon::host {

int command_run(const Arguments& arguments);

namespace {

constexpr std::size_t kLongest = 1 << 20;

ssize_t read_some(int input, char* to, std::size_t size) {
    ssize_t got = 0;
    do {
        got = ::read(input, to, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

Result<RemoteRequest> read_request(int input) {
    std::string line;
    for (char letter = 0; line.size() < kLongest && read_some(input, &letter, 1) == 1 && letter != '\n';) {
        line += letter;
    }
    return parse_remote_request(line);
}

// Takes the launcher's end of the input from this process and what it starts. A plugin may read standard input.
int take_input() {
    const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
    return input;
}

// The run leaves as after Ctrl-C when the launcher closes the input or has ended.
void leave_at_end_of(int input) {
    std::thread([input] {
        for (std::array<char, 256> ignored{}; read_some(input, ignored.data(), ignored.size()) > 0;) {
        }
        if (!StopSignals::requested()) {  // the launcher's end may also have sent a signal; a second one ends at once
            ::kill(::getpid(), SIGTERM);
        }
    }).detach();
}

}  // namespace

int run_for_launcher() {
    const int input = take_input();
    const Result<RemoteRequest> request = read_request(input);
    if (!request) {
        return report(request.error());
    }
    std::signal(SIGTERM, [](int) { end_process(kStoppedEarly); });  // until the run itself handles it
    if (const Status entered = enter(request->site, "--via"); !entered) {
        return report(entered.error());
    }
    std::cerr << kRemoteBegins << name_of_this_machine() << ", process " << ::getpid() << std::endl;
    leave_at_end_of(input);
    return command_run(request->words);
}

}  // namespace tenon::host
