// SPDX-License-Identifier: Apache-2.0
// A worker process: starting, watching and ending it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"
#include "engines/process/limits.hpp"

namespace tenon {

// Exit codes of a worker that could not start.
inline constexpr int kNoMemory = 12;
inline constexpr int kNoLimits = 13;
inline constexpr int kUntied = 14;
inline constexpr int kLostConnection = 15;  // of a worker on another machine

// The number of its descriptor of a lifeline (lifeline.hpp).
inline constexpr int kWorkerLifeline = 4;
// That of a stream, if it has one.
inline constexpr int kWorkerStream = 5;

// It ends with this process, however this one ends.
class WorkerProcess {
public:
    WorkerProcess() = default;
    // Starts the program tenon-worker of installed_folder(). It inherits the descriptor; the number of the descriptor
    // in the worker is its first word, before `words`. Both of its output streams go to `output`. `stream`: inherited,
    // too; -1: none.
    static Result<WorkerProcess> start(int descriptor, const std::vector<std::string>& words, int output,
                                       int stream = -1);
    // The same for a plugin.
    static Result<WorkerProcess> start(int descriptor, const IsolationRules& rules, int output);

    WorkerProcess(WorkerProcess&& other) noexcept
        : id_(std::exchange(other.id_, 0)),
          signal_(std::exchange(other.signal_, 0)),
          code_(std::exchange(other.code_, 0)),
          lifeline_(std::move(other.lifeline_)) {}
    WorkerProcess& operator=(WorkerProcess&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(signal_, other.signal_);
        std::swap(code_, other.code_);
        std::swap(lifeline_, other.lifeline_);
        return *this;
    }
    ~WorkerProcess();  // ends it

    [[nodiscard]] pid_t id() const { return id_; }

    // How it ended, as the rest of a sentence: "was ended by SIGSEGV"; nothing while it is running.
    std::optional<std::string> ended();
    // The signal that ended it; 0 if none did, or if it was this object's kill().
    [[nodiscard]] int signal() const { return signal_; }
    // Its exit code; 0 if a signal ended it.
    [[nodiscard]] int code() const { return code_; }
    // Kills it and its children.
    void kill();

private:
    pid_t id_ = 0;  // 0: none
    int signal_ = 0;
    int code_ = 0;
    PrivateDescriptor lifeline_;
};

}  // namespace tenon
