// SPDX-License-Identifier: Apache-2.0
// A worker that connects to its trainer. For each stream this process starts a courier, whose child the worker is. The
// trainer's side of the stream is a courier, too, as with collector.via.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include "base/file/launch_site.hpp"
#include "base/file/lifeline.hpp"
#include "base/file/spawn.hpp"
#include "base/log/log.hpp"
#include "engines/process/process.hpp"
#include "engines/process/socket_pair.hpp"
#include "engines/source_processes/meeting_place.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {
namespace {

constexpr auto kCourierPatience = std::chrono::seconds(5);

// The courier on this machine, whose child the worker is.
class Courier {
public:
    Courier() = default;
    Courier(const Courier&) = delete;
    Courier& operator=(const Courier&) = delete;
    ~Courier() { (void)await_end(); }

    // Returns the socket that is its standard input and output.
    Result<int> start() {
        const std::array<int, 2> ends = TENON_TRY(socket_pair());
        const FileDescriptor theirs(ends[1]);
        FileDescriptor own(ends[0]);
        Lifeline lifeline = TENON_TRY(make_lifeline());
        id_ = TENON_TRY(spawn(installed_folder() / "tenon-worker", {"tenon-worker", "remote", "listen"},
                              {{theirs.get(), STDIN_FILENO},
                               {theirs.get(), STDOUT_FILENO},
                               {STDERR_FILENO, STDERR_FILENO},
                               {lifeline.given.get(), kWorkerLifeline}}));
        lifeline_.emplace(std::move(lifeline.held));
        return own.release();
    }

    // Its exit code; 0 if a signal has ended it.
    int await_end() {
        int status = 0;
        const auto end = std::chrono::steady_clock::now() + kCourierPatience;
        while (id_ != 0) {
            const pid_t ended = ::waitpid(id_, &status, WNOHANG);
            if (ended == id_ || (ended < 0 && errno != EINTR)) {
                ::kill(-id_, SIGKILL);  // what it has left
                id_ = 0;
            } else if (std::chrono::steady_clock::now() >= end) {
                ::kill(-id_, SIGKILL);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(id_ == 0 ? 0 : 1));
        }
        lifeline_.reset();
        return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    }

private:
    pid_t id_ = 0;
    std::optional<PrivateDescriptor> lifeline_;
};

int report(const Problem& problem) {
    std::cerr << render(problem) << '\n';
    return static_cast<int>(problem.fault);
}

// Collects for one run. The exit code is that of the worker if it cannot go on.
Result<int> collect_for(const DoorEngine& engine, const DoorSide& side, std::chrono::milliseconds limit) {
    Courier courier;
    int code = 0;
    const Visit visit{.side = side,
                      .limit = limit,
                      .begin =
                          [&] {
                              log(Level::kInfo, "collects for the trainer at " + side.endpoint);
                              return courier.start();
                          },
                      .end =
                          [&] {
                              code = courier.await_end();
                              code = code == kLostConnection ? 0 : code;  // the trainer has closed the stream
                              return code == 0;
                          },
                      .tell = [](const std::string& sentence) { log(Level::kInfo, sentence); }};
    TENON_TRY(engine.visit(visit));
    return code;
}

Result<int> connect(const std::string& address, bool stays) {
    TENON_TRY(check_address(address, "--connect", false));
    const DoorSide side = TENON_TRY(door_side(address, "--connect"));
    const DoorEngine* const engine = TENON_TRY(load_door_engine());
    const std::chrono::milliseconds limit = TENON_TRY(waiting_limit_of_process());
    for (;;) {
        const Result<int> code = collect_for(*engine, side, limit);
        if (!stays || (code && *code != 0)) {
            if (code && *code == 0) {
                log(Level::kInfo, "the run at " + address + " has ended");
            }
            return code;
        }
        if (!code) {
            log(Level::kWarning, code.error().sentence);
        }
    }
}

}  // namespace

int serve_connection(const std::string& address, bool stays) {
    const Result<int> code = connect(address, stays);
    return code ? *code : report(code.error());
}

}  // namespace tenon
