// SPDX-License-Identifier: Apache-2.0
// A policy that is a procedure, as checks drive it: on columns whose every byte is known, with observations drawn for
// each lane alone, so that two instances can be held against each other call by call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/drive_column.hpp"
#include "check/workbench.hpp"
#include "data/column_table.hpp"
#include "data/spec.hpp"
#include "replay/callee.hpp"
#include "tenon/abi/policy.h"

namespace tenon {

struct PolicyShape {
    std::uint32_t lanes = 11;
    std::uint32_t first_lane = 0;  // lane i observes what lane first_lane + i does elsewhere
    LaneLayout layout = LaneLayout::kDense;
    unsigned char fill = 0;     // what columns hold before they are written
    unsigned char fresh = 0;    // what memory holds that the policy gets from the heap; 0: as it comes
    bool is_watched = false;    // a write to anything but the actions of a call is a problem
    bool is_newer = false;      // structs are larger than the policy knows, as those of a newer host are
    bool draws_others = false;  // its stream is another one
};

class PolicyDrive {
public:
    static constexpr std::uint32_t kSlots = 3;

    // On the columns of the first made-up env that it accepts.
    static Result<std::unique_ptr<PolicyDrive>> make(const Workbench& bench, const PolicyShape& shape);

    [[nodiscard]] std::uint32_t lanes() const { return shape_.lanes; }
    [[nodiscard]] const Callee<tn_policy_api>& callee() const { return policy_; }

    // The next step: other observations in all lanes, and in some of them another episode begins.
    void observe();
    // The actions of a range of lanes; an action that there is not is a problem.
    Status act(std::int32_t mode, std::uint32_t first, std::uint32_t count);
    Status act(std::int32_t mode) { return act(mode, 0, lanes()); }

    // Other memory from now on, with the same content.
    Status move_columns(LaneLayout layout);
    // Rows and the count of steps, as a host restores them before load.
    void take_over(const PolicyDrive& other);

    // Where the latest actions of lane `mine` here and lane `theirs` there differ, the rest of a sentence; empty where
    // they do not.
    [[nodiscard]] std::string difference(std::uint32_t mine, const PolicyDrive& other, std::uint32_t theirs) const;
    [[nodiscard]] std::string difference(const PolicyDrive& other) const;  // of all lanes

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
