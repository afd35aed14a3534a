// SPDX-License-Identifier: Apache-2.0
// The run's live values: numbers that schedules may change and programs read, in one array. This file says which they
// are; the parts of a run have the present ones (progress/standing.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/graph/context.hpp"
#include "compute/parameters/schedule.hpp"
#include "config/manifest/manifest.hpp"
#include "config/option/schema.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

// An option that a hook moves.
struct MovedOption {
    std::string name;
    std::string by;     // the hook's name, for messages
    Place place;        // the hook's
    std::string range;  // the range of allowed values; empty: any
    std::optional<Range> limits;
    std::uint32_t index = 0;  // of its live value; set when the wiring is complete
};

struct LivePlan {
    std::vector<std::string> names;  // "optimiser.lr", "exploration.epsilon"
    std::vector<double> values;      // at the beginning
    std::vector<Schedule> schedules;
    std::vector<std::string> movable;  // options of components that a schedule or a hook could make live
    std::vector<MovedOption> moved;    // in the order of the hooks

    std::uint32_t add(std::string name, double value);
    [[nodiscard]] std::int64_t find(std::string_view name) const;  // -1: not live
    [[nodiscard]] bool is_moved(std::string_view name) const;      // by a hook
};

// The index of the number; adds its schedule if the manifest has one.
std::uint32_t add_scheduled(LivePlan& live, const Manifest& manifest, const std::string& name, double value);

// One live value per [schedule] of a component's option, checked against the option's schema. Schedules of options that
// do not exist or cannot change are refused. Numbers of optimisers and targets are added when their stages are known
// (plans.hpp).
LivePlan make_live(const Manifest& manifest, const Parts& parts, Problems& problems);

// The options of a part that graphs read: the index of a live value if a schedule changes the option, else its value.
std::vector<graph::OptionBinding> bind_options(const Part& part, const LivePlan& live);

// The options of a part that is not a graph, in its schema's order; 0 for an option that is not a number.
class OptionNumbers {
public:
    OptionNumbers() = default;
    OptionNumbers(const Part& part, const LivePlan& live);

    // Whether schedules or hooks change one of them.
    [[nodiscard]] bool change() const;
    // The options, with the present values of schedules.
    std::span<const double> now(std::span<const double> live);

private:
    std::vector<double> values_;
    std::vector<std::int64_t> live_;  // indices of live values; -1: constant
};

// Call it when all numbers have been added. Reports schedules without effect, for example of `optimiser.lr` if every
// stage has its own table.
void check_schedules(const LivePlan& live, const Manifest& manifest, Problems& problems);

}  // namespace tenon
