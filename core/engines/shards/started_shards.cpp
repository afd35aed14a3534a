// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/started_shards.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file/lifeline.hpp"
#include "base/file/spawn.hpp"

namespace tenon {
namespace {

using namespace std::chrono_literals;

constexpr auto kEndPatience = 2s;   // for a process that is about to end
constexpr auto kEndGlance = 200ms;  // a process whose connection has ended can be waited for a moment later

// Variables of this process while it starts another one.
class Lent {
public:
    Lent(const char* name, const std::string& value) : name_(name) {
        const char* const before = std::getenv(name);
        had_ = before != nullptr;
        before_ = had_ ? before : "";
        ::setenv(name, value.c_str(), 1);
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    ~Lent() { had_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::string before_;
    bool had_ = false;
};

Result<std::filesystem::path> make_meeting_folder() {
    std::string name = "/tmp/tenon-XXXXXX";  // short, because the path of a socket has at most 107 characters
    if (::mkdtemp(name.data()) == nullptr) {
        return environment_problem("a folder for the meeting of the shards cannot be made in /tmp: " +
                                   std::generic_category().message(errno));
    }
    return std::filesystem::path(name);
}

}  // namespace

void end_stopped_starter() {
    if (is_stopped_now(::getppid())) {
        ::fcntl(kShardLifeline, F_SETFL, 0);  // so that this process lives to say why
        ::kill(::getppid(), SIGKILL);
    }
}

Result<std::unique_ptr<StartedShards>> StartedShards::start(const std::vector<std::string>& command,
                                                            std::size_t shards) {
    std::unique_ptr<StartedShards> out(new StartedShards());
    out->folder_ = TENON_TRY(make_meeting_folder());
    out->own_ = {.rank = 0,
                 .endpoint = "ipc://" + (out->folder_ / "meeting").string(),
                 .secret = {},
                 .by_tenon = true,
                 .limit = TENON_TRY(limit_of_meeting(variable_of_process))};
    const Lent meeting("TENON_MEETING", out->own_.endpoint);
    const Lent count("WORLD_SIZE", std::to_string(shards));
    for (std::size_t rank = 1; rank < shards; ++rank) {
        const Lent own("RANK", std::to_string(rank));
        const Lent local("LOCAL_RANK", std::to_string(rank));  // which GPU is its own
        // One for each: a pipe's end signals one process group alone, that of the process that asked last.
        Lifeline lifeline = TENON_TRY(make_lifeline());
        const pid_t id = TENON_TRY(spawn(command.front(), command, {{lifeline.given.get(), kShardLifeline}}));
        out->lifelines_.push_back(std::move(lifeline.held));
        out->ids_.push_back(id);
        out->statuses_.push_back(0);
        out->watches_.emplace_back();
    }
    return out;
}

StartedShards::~StartedShards() {
    for (std::size_t rank = 1; rank < ids_.size(); ++rank) {
        if (!has_ended(rank)) {
            ::kill(-ids_[rank], SIGKILL);
            ::waitpid(ids_[rank], &statuses_[rank], 0);
        }
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

bool StartedShards::has_ended(std::size_t rank) {
    if (ids_[rank] != 0 && ::waitpid(ids_[rank], &statuses_[rank], WNOHANG) == ids_[rank]) {
        ids_[rank] = 0;
    }
    return ids_[rank] == 0;
}

ShardEnd StartedShards::how_ended(std::size_t rank) {
    const auto until = std::chrono::steady_clock::now() + kEndGlance;
    while (!has_ended(rank) && std::chrono::steady_clock::now() < until) {
        std::this_thread::sleep_for(1ms);
    }
    if (ids_[rank] != 0) {
        return {.how = "does not answer any more"};
    }
    const int status = statuses_[rank];
    if (!WIFSIGNALED(status)) {
        return {.how = "ended by exit code " + std::to_string(WEXITSTATUS(status))};
    }
    const char* const name = ::sigabbrev_np(WTERMSIG(status));
    return {.how = name != nullptr ? "was ended by SIG" + std::string(name)
                                   : "was ended by signal " + std::to_string(WTERMSIG(status)),
            .is_killed = true};
}

void StartedShards::await_ends() {
    const auto until = std::chrono::steady_clock::now() + kEndPatience;
    for (std::size_t rank = 1; rank < ids_.size(); ++rank) {
        while (!has_ended(rank) && std::chrono::steady_clock::now() < until) {
            std::this_thread::sleep_for(1ms);
        }
    }
}

}  // namespace tenon
