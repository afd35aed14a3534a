// SPDX-License-Identifier: Apache-2.0
// The metrics of a run, each with its name and what reads it: for records and hooks. Names alone are known as soon as
// the run is wired.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "base/profile/profile.hpp"
#include "train/collect/score.hpp"

namespace tenon {

class Trainer;
struct Wiring;

// What metrics are read from.
struct Moment {
    std::int64_t frames = 0;
    std::int64_t updates = 0;
    std::span<const Score> scores = {};  // of the evaluations at this position, or none
    const Trainer* trainer = nullptr;    // null: it has left this position, so only late metrics can be read
    double per_second = 0;               // this and the next two: times of a record
    double seconds = 0;
    std::array<double, kWorks> works = {};
    bool newest = false;  // of updates: the newest one, in place of their mean since the last record
};

struct Metric {
    std::string name;
    std::function<double(const Moment&)> read;  // NaN: it has not been measured
    bool late = false;                          // it needs no trainer
};

// What is equal between equal runs. The metrics of hooks are the last.
std::vector<Metric> measured_metrics(const Wiring& wiring);
// In the order of a record: what is measured, and then times, with `of_shards` those of a run with shards.
std::vector<Metric> recorded_metrics(const Wiring& wiring, bool of_shards = false);

// Checks that hooks can read the metrics that they name, and have those of their own. Requires a wiring that has been
// built.
void check_hook_metrics(const Wiring& wiring, Problems& problems);

}  // namespace tenon
