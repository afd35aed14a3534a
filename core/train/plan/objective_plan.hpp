// SPDX-License-Identifier: Apache-2.0
// How one objective of a run learns: its pace, the columns that it may read, and its programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/exec/program.hpp"
#include "compute/graph/context.hpp"
#include "config/manifest/manifest.hpp"
#include "train/plan/programs.hpp"

namespace tenon {

// The buffer or batch that a minibatch's rows come from.
struct BatchPlan {
    std::string prefix;                 // of its columns: "expert."; empty for the objective's own rows
    std::optional<std::size_t> buffer;  // none: the collected batch
};

struct ObjectivePlan {
    graph::Unit unit;
    std::string name;                    // empty if the run has one objective only
    TrainTable train;                    // [train], with the values of the objective's own table in place of its own
    std::int64_t every = 1;              // rounds
    std::vector<BatchPlan> batches;      // the first is its own
    bool prefetches = false;             // whether the next minibatch is gathered while an update is made
    std::vector<graph::Column> columns;  // that its programs may read
    std::vector<graph::StandIn> stand_ins = {};  // these replace some of them, or columns that are not stored
    BuiltProgram update;
    BuiltProgram prepare;   // this and the next: on whole batches, if the objective has these functions; with a buffer,
    BuiltProgram conclude;  // prepare is its function store, on the frames that have come into the buffer
    bool stores_episodes = false;  // prepare also gets the earlier steps of episodes that have ended
    std::vector<StagePlan> stages;
    // Why its updates are not computed on run.device, as a clause; empty: they are, or there is no device.
    std::string on_cpu = {};
    bool by_libtorch = false;  // libtorch computes them on run.device, because they have no kernels

    // Whether it learns from the collected batch as a whole.
    [[nodiscard]] bool by_batch() const { return !batches.front().buffer; }
    // Whether its function prepare or store writes the column.
    [[nodiscard]] bool writes(std::string_view key) const;
    // Whether one of its programs reads the column.
    [[nodiscard]] bool reads(std::string_view key) const;
};

// Calls f for its programs, in the order in which their metrics are reported.
template <class F>
void each_program(const ObjectivePlan& plan, F f) {
    f(plan.update);
    f(plan.prepare);
    f(plan.conclude);
}

// The names of all metrics of the objective, in the order in which its learning unit reports them.
std::vector<std::string> metrics_of(const ObjectivePlan& plan);

}  // namespace tenon
