// SPDX-License-Identifier: Apache-2.0
// Drives an env, or a transform or wrapper on an artificial env, for checks: on columns whose every byte is known, with
// actions drawn separately for each lane, so that two instances can be compared step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/action_mask.hpp"
#include "base/data/column_table.hpp"
#include "commands/check/drive_column.hpp"
#include "commands/check/env_on_device.hpp"
#include "commands/check/transformed_world.hpp"
#include "commands/check/workbench.hpp"
#include "commands/check/wrapped_world.hpp"
#include "experience/env/describe.hpp"

namespace tenon {

struct DriveShape {
    std::uint32_t lanes = 0;       // 0: those of the subject
    std::uint32_t first_lane = 0;  // lane i has the seeds and actions of lane first_lane + i of another drive
    LaneLayout layout = LaneLayout::kDense;
    unsigned char fill = 0;   // content of columns before they are written
    unsigned char fresh = 0;  // content of fresh heap memory of the env; 0: unchanged
    bool is_watched = false;  // a write outside of the rows of a call is a problem
    bool is_newer = false;    // structs are larger than the env knows, as on a newer host
    // "emulated", "cuda": its kernels step the lanes; empty: the CPU.
    std::string_view device = {};
};

std::string steps_text(std::uint64_t steps);  // "1 step", "2 steps"

class EnvDrive {
public:
    static constexpr std::uint32_t kSlots = 3;

    static Result<std::unique_ptr<EnvDrive>> make(const Workbench& bench, const DriveShape& shape);

    [[nodiscard]] const EnvInfo& info() const { return info_; }
    [[nodiscard]] std::uint32_t lanes() const { return shape_.lanes; }
    [[nodiscard]] const Callee<tn_env_api>& callee() const { return env_; }
    [[nodiscard]] EnvOnDevice* on_device() const { return on_device_.get(); }     // null: the CPU steps its lanes
    [[nodiscard]] const TransformedWorld* world() const { return world_.get(); }  // null: no transform is checked
    // Destroys the instance and says how many bytes of the device's memory it did not free.
    std::uint64_t leave_device();
    [[nodiscard]] std::vector<DriveColumn>& columns() { return columns_; }
    [[nodiscard]] std::uint32_t slot() const { return slot_; }      // of the newest observation
    [[nodiscard]] std::uint32_t before() const { return before_; }  // of the latest step
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

    // In all of these a parked lane is a problem.
    Status reset() { return reset(nullptr, seeds_.data()); }  // all lanes, each with its seed
    Status reset(const std::uint8_t* mask, const std::uint64_t* seeds);
    Status step();  // all lanes in one call, with random actions

    // The same in parts: draw_actions, then step_range for all lanes in any order, then move_on.
    void draw_actions();
    Status step_range(std::uint32_t first, std::uint32_t count);
    Status move_on();

    // A step by "tenon.env.async/1": submits every `parts`-th lane, then the lane after each of these, and so on. If
    // `in_turn`, it waits for each part before the next one.
    Status step_later(std::uint32_t parts, bool in_turn);

    // Whether a group has a column that says which of its agents are present. The next function gives absent agents
    // actions that differ from those of draw_actions.
    [[nodiscard]] bool has_absent_agents() const;
    void change_actions_of_absent();

    // For arbitrary actions: returns the plugin's status, whatever it is, and leaves the lanes' statuses to the caller.
    tn_status step_raw();
    [[nodiscard]] std::uint8_t* lane_status() const { return reinterpret_cast<std::uint8_t*>(status_.data()); }
    void accept();  // moves on and ignores parked lanes

    // Moves the columns to other memory with the same content.
    Status move_columns(LaneLayout layout);

    // Facts about a lane in the latest step.
    [[nodiscard]] bool is_terminated(std::uint32_t lane) const;
    [[nodiscard]] bool is_truncated(std::uint32_t lane) const;
    [[nodiscard]] bool is_done(std::uint32_t lane) const { return is_terminated(lane) || is_truncated(lane); }

    [[nodiscard]] const std::vector<std::uint64_t>& seeds() const { return seeds_; }
    void take_over(EnvDrive& other);  // copies rows and the number of steps, as a host does before load

    // The difference between lane `mine` of this drive and lane `theirs` of the other in the output of the latest reset
    // or step: the rest of a sentence; empty if there is none.
    std::string difference(std::uint32_t mine, EnvDrive& other, std::uint32_t theirs);
    std::string difference(EnvDrive& other);  // compares all lanes by number

private:
    EnvDrive(const Workbench& bench, const DriveShape& shape) : shape_(shape), actions_(bench.key("actions")) {
        shape_.lanes = shape.lanes == 0 ? bench.subject().lanes : shape.lanes;
    }

    Status come_to_life(const Workbench& bench);
    Status go_to_device();
    Status lay_out(LaneLayout layout);
    Status bind();
    // The outcome of a call, in which a parked lane counts as a failure.
    [[nodiscard]] Status outcome(tn_status done, const char* function) const;
    Status submit(const std::vector<std::uint32_t>& lanes);
    Status await(std::vector<std::uint8_t>& under_way);
    Status begin_ended();
    void before_call() const;
    [[nodiscard]] const DriveColumn* find(std::string_view key) const;
    void refill(std::uint32_t first, std::uint32_t count);
    void remember();
    template <class Allowed>
    [[nodiscard]] Status outside(const char* function, const Allowed& allowed);

    DriveShape shape_;
    std::unique_ptr<EnvOnDevice> on_device_;   // outlives the instance, whose memory is on it
    std::optional<Instance> instance_;         // an env,
    std::unique_ptr<TransformedWorld> world_;  // or a transform with an artificial env
    std::unique_ptr<WrappedWorld> wrapped_;    // or a wrapper around one
    Callee<tn_env_api> env_;
    EnvInfo info_;
    tn_key actions_;
    std::vector<std::uint64_t> seeds_;
    std::vector<ActionMask> masks_;
    std::vector<DriveColumn> columns_;
    GuardedMemory status_;
    std::vector<std::uint8_t> needs_reset_;  // [lane]
    ColumnTable table_;
    std::vector<std::vector<std::byte>> shadows_;  // copies of the columns before a call; the last one is lane_status
    std::uint32_t slot_ = 0;
    std::uint32_t before_ = 0;
    std::uint64_t steps_ = 0;
    bool has_stepped_ = false;  // the latest event was a step
};

}  // namespace tenon
