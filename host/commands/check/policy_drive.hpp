// SPDX-License-Identifier: Apache-2.0
// Drives a policy that is a procedure, for checks: on columns whose every byte is known, with observations drawn
// separately for each lane, so that two instances can be compared call by call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/data/column_table.hpp"
#include "base/data/spec.hpp"
#include "commands/check/drive_column.hpp"
#include "commands/check/workbench.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/policy.h"

namespace tenon {

struct PolicyShape {
    std::uint32_t lanes = 11;
    std::uint32_t first_lane = 0;  // lane i has the observations of lane first_lane + i of another drive
    LaneLayout layout = LaneLayout::kDense;
    unsigned char fill = 0;     // content of columns before they are written
    unsigned char fresh = 0;    // content of fresh heap memory of the policy; 0: unchanged
    bool is_watched = false;    // a write to anything but the actions of the call is a problem
    bool is_newer = false;      // structs are larger than the policy knows, as on a newer host
    bool draws_others = false;  // has a different random stream
};

class PolicyDrive {
public:
    static constexpr std::uint32_t kSlots = 3;

    // Uses the columns of the first artificial env that the policy accepts.
    static Result<std::unique_ptr<PolicyDrive>> make(const Workbench& bench, const PolicyShape& shape);

    [[nodiscard]] std::uint32_t lanes() const { return shape_.lanes; }
    [[nodiscard]] const Callee<tn_policy_api>& callee() const { return policy_; }

    // Moves to the next step: new observations in all lanes; in some of them a new episode begins.
    void observe();
    // Writes the actions of a range of lanes; an invalid action is a problem.
    Status act(std::int32_t mode, std::uint32_t first, std::uint32_t count);
    Status act(std::int32_t mode) { return act(mode, 0, lanes()); }

    // Moves the columns to other memory with the same content.
    Status move_columns(LaneLayout layout);
    // Copies rows and the number of steps, as a host does before load.
    void take_over(const PolicyDrive& other);

    // The difference between the latest actions of lane `mine` of this drive and lane `theirs` of the other: the rest
    // of a sentence; empty if there is none.
    [[nodiscard]] std::string difference(std::uint32_t mine, const PolicyDrive& other, std::uint32_t theirs) const;
    [[nodiscard]] std::string difference(const PolicyDrive& other) const;  // compares all lanes

private:
    PolicyDrive(const Workbench& bench, const PolicyShape& shape)
        : shape_(shape),
          observations_(bench.key("observations")),
          stream_(bench.key(shape.draws_others ? "other policy" : "policy")) {}

    Status come_to_life(const Workbench& bench);
    Status lay_out(LaneLayout layout);
    Status bind();
    void before_call() const;
    [[nodiscard]] std::string impossible(std::uint32_t first, std::uint32_t count) const;

    PolicyShape shape_;
    std::optional<Instance> instance_;
    Callee<tn_policy_api> policy_;
    const Composite* specs_ = nullptr;
    tn_key observations_;
    tn_key stream_;
    std::vector<DriveColumn> columns_;
    ColumnTable table_;
    std::uint64_t steps_ = 0;
};

}  // namespace tenon
