// SPDX-License-Identifier: Apache-2.0
// Which shard of a run this process is, if a launcher has started it: torchrun, srun, mpirun, Kubernetes, or tenon
// itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/error/result.hpp"

namespace tenon {

struct ShardPlace {
    std::size_t rank = 0;
    std::string endpoint;                                        // where shard 0 waits for the others
    std::string secret;                                          // TENON_KEY
    bool by_tenon = false;                                       // started by shard 0 itself, on this machine
    std::chrono::milliseconds limit = std::chrono::minutes(10);  // of the wait for all to come: TENON_WAIT, in seconds
};

// A variable of the environment; empty if it is not set.
using Variable = std::function<std::string(const char* name)>;
std::string variable_of_process(const char* name);

// The limit that TENON_WAIT sets.
Result<std::chrono::milliseconds> limit_of_meeting(const Variable& variable);

// How many processes a launcher has started, this one among them; 0: no launcher says so.
std::size_t launched_processes(const Variable& variable);

// For a run of one shard: a warning if a launcher has started several processes that are to meet; otherwise empty.
std::string unshared_launch(const Variable& variable);

// Nothing: no launcher says which shard this is, and this process starts all others. `asks_endpoint`: whether the
// shards meet at an address, which the launcher must say.
Result<std::optional<ShardPlace>> shard_of_launcher(const Variable& variable, std::size_t shards,
                                                    bool asks_endpoint = true);

// The name of the engine for this process: that of TENON_LINK; else that of the mpirun which has started it, unless
// MASTER_ADDR says where the processes meet; else "zmq".
std::string link_of_process(const Variable& variable);

// The first host of a list of Slurm's: "node[05-08,11]" is "node05".
std::string first_host(const std::string& list);

}  // namespace tenon
