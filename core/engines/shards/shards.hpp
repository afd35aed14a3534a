// SPDX-License-Identifier: Apache-2.0
// A run with shards: its processes find each other, make each round together, and agree after it whether to go on.
// Shard 0 evaluates, records and decides; the others follow it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compute/exec/program.hpp"
#include "engines/shards/group.hpp"
#include "engines/shards/link_engine.hpp"
#include "engines/shards/started_shards.hpp"
#include "train/loop/trainer.hpp"

namespace tenon {

class Shards {
public:
    // Starts the other shards by the command, unless a launcher has started this process as one of them.
    static Result<std::unique_ptr<Shards>> begin(const std::vector<std::string>& command, std::size_t count);

    [[nodiscard]] std::size_t rank() const { return place_.rank; }
    [[nodiscard]] Group& group() { return *group_; }
    // Waits for all shards, and checks that they have in common what makes them parts of the same run.
    Status meet(const std::vector<Common>& common);
    // Links the devices on which all shards learn, if they can be linked. Otherwise shard 0 is told why gradients go
    // through the host.
    Status link_devices(const std::shared_ptr<Device>& device, bool exact,
                        const std::function<void(const std::string& sentence)>& tell);
    // Tells the others why this shard ends before it could meet them. Whether they print it for this one.
    bool leave_before_meeting(const Problem& why);

    // For the other shards: the checkpoint with which shard 0 begins, or empty. Must be called once, before follow().
    Result<std::filesystem::path> where_to_begin();

    // For shard 0. Each of these returns when the other shards have answered. `checkpoint`: where the others begin;
    // empty: at the start.
    Status begin_from(const std::filesystem::path& checkpoint);
    // The run's folder, which the others must see.
    Status begin_in(const std::filesystem::path& folder);
    Status begin_round();
    // True: a shard was asked to stop.
    Result<bool> end_round(Trainer& trainer);
    Status save(const std::filesystem::path& checkpoint);
    Status saved(const std::filesystem::path& checkpoint);
    Status end();

    // Whether the problem with which this shard ends is to be printed here: shard 0 prints those of all.
    [[nodiscard]] bool prints_problems() const;
    // Whether the connection to another shard has ended before that one said why.
    [[nodiscard]] bool has_lost_one() const;
    // Tells the others why this one ends.
    void leave(const Problem& why);

private:
    [[nodiscard]] Meeting meeting(const std::string& name);
    std::string who_does_not_come();
    Status tell_all(std::string_view word);
    // What has come up between two sums of gradients, such as in an evaluation.
    Status tell_distrust();

    const LinkEngine* engine_ = nullptr;
    ShardPlace place_;
    std::size_t count_ = 1;
    std::unique_ptr<StartedShards> started_;  // null: a launcher has started all
    std::unique_ptr<Group> group_;            // null before they have met
    StopWatch starter_;                       // of the process that has started this one
};

// The same as leave_before_meeting, for a process that has not begun as a shard. `shards`: of the run; 0: unknown, such
// as if the manifest cannot be read. If a launcher has started this process as one of several, it is their number.
bool leave_before_meeting(const Problem& why, std::size_t shards);

// Does what shard 0 says until the run ends. `executor`: of this shard's programs; null: it has none.
Status follow(Trainer& trainer, const Executor* executor, Shards& shards);

}  // namespace tenon
