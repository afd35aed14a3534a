// SPDX-License-Identifier: Apache-2.0
// The other shards of a run, started by shard 0 as processes on this machine.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"
#include "engines/process/stop_watch.hpp"
#include "engines/shards/group.hpp"
#include "engines/shards/shard_place.hpp"

namespace tenon {

// The descriptor of the lifeline in a shard that shard 0 has started.
inline constexpr int kShardLifeline = 3;

// For a shard that shard 0 has started and that has lost it: kills shard 0 if it is stopped (SIGSTOP), because a
// stopped process would keep the lock of the run's folder.
void end_stopped_starter();

class StartedShards {
public:
    // `command`: the program and its arguments; each process finds its number in its environment.
    static Result<std::unique_ptr<StartedShards>> start(const std::vector<std::string>& command, std::size_t shards);
    StartedShards(const StartedShards&) = delete;
    StartedShards& operator=(const StartedShards&) = delete;
    // Ends those that still run, and removes the folder of the meeting.
    ~StartedShards();

    [[nodiscard]] const ShardPlace& own() const { return own_; }
    bool has_ended(std::size_t rank);
    bool is_stopped(std::size_t rank, std::chrono::milliseconds patience) {
        return watches_[rank].is_stopped(ids_[rank], patience);
    }
    [[nodiscard]] ShardEnd how_ended(std::size_t rank);
    // Waits for all of them, for a short time.
    void await_ends();

private:
    StartedShards() = default;

    std::filesystem::path folder_;
    ShardPlace own_;
    std::vector<PrivateDescriptor> lifelines_;
    std::vector<pid_t> ids_ = {0};  // by rank; 0: it has been waited for
    std::vector<int> statuses_ = {0};
    std::vector<StopWatch> watches_ = std::vector<StopWatch>(1);
};

}  // namespace tenon
