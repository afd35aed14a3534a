// SPDX-License-Identifier: Apache-2.0
// A worker as a process: begun, watched, ended.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "error/result.hpp"
#include "isolation/rules.hpp"

namespace tenon {

// Exit codes of a worker that could not begin.
inline constexpr int kNoMemory = 12;
inline constexpr int kNoLimits = 13;

class WorkerProcess {
public:
    WorkerProcess() = default;
    // The program tenon-worker, which stands beside this one or in the installation that TENON_HOME names. It gets the
    // descriptor, and both of its outputs go to `output`.
    static Result<WorkerProcess> start(int descriptor, const IsolationRules& rules, int output);

    WorkerProcess(WorkerProcess&& other) noexcept
        : id_(std::exchange(other.id_, 0)), signal_(std::exchange(other.signal_, 0)) {}
    WorkerProcess& operator=(WorkerProcess&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(signal_, other.signal_);
        return *this;
    }
    ~WorkerProcess();  // ends it

    [[nodiscard]] pid_t id() const { return id_; }

    // How it ended, as the rest of a sentence: "was ended by SIGSEGV"; nothing while it runs.
    std::optional<std::string> ended();
    // Which signal ended it; 0 where none did, or kill() of this one.
    [[nodiscard]] int signal() const { return signal_; }
    // Ends it, and what it has started with it.
    void kill();

private:
    pid_t id_ = 0;  // 0: there is none
    int signal_ = 0;
};

}  // namespace tenon
