// SPDX-License-Identifier: Apache-2.0
// The run's live values: numbers that schedules may move and programs read, in one array.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.hpp"
#include "graph/context.hpp"
#include "learn/schedule.hpp"
#include "manifest/manifest.hpp"
#include "train/parts.hpp"

namespace tenon {

struct LiveValues {
    std::vector<std::string> names;  // "optimiser.lr", "exploration.epsilon"
    std::vector<double> values;
    std::vector<Schedule> schedules;
    std::vector<std::string> movable;  // options of components that a schedule could make live

    std::uint32_t add(std::string name, double value);
    [[nodiscard]] std::int64_t find(std::string_view name) const;  // -1: not live
};

// The place of the number; where the manifest moves it, with its schedule.
std::uint32_t add_scheduled(LiveValues& live, const Manifest& manifest, const std::string& name, double value);

// One place per [schedule] of a component's option, each checked against the option's schema; those of options that are
// not there or cannot move are refused. Optimisers' and targets' numbers join when their stages are known
// (plans.hpp).
LiveValues make_live(const Manifest& manifest, const Parts& parts, Problems& problems);

// The options of a part that graphs read: a place where a schedule moves them, else the number itself.
std::vector<graph::OptionBinding> bind_options(const Part& part, const LiveValues& live);

// The options of a part that is no graph, in its schema's order; what is no number is 0.
class OptionNumbers {
public:
    OptionNumbers() = default;
    OptionNumbers(const Part& part, const LiveValues& live);

    // As schedules have them.
    std::span<const double> now(std::span<const double> live);

private:
    std::vector<double> values_;
    std::vector<std::int64_t> live_;  // places among the live values; -1: does not move
};

// Once all numbers have joined: schedules of those that have not, of `optimiser.lr` where every stage has a table of
// its own.
void check_schedules(const LiveValues& live, const Manifest& manifest, Problems& problems);

}  // namespace tenon
