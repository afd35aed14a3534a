// SPDX-License-Identifier: Apache-2.0
// How one objective of a run learns: its pace, the columns that it may read, and its programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exec/program.hpp"
#include "graph/context.hpp"
#include "manifest/manifest.hpp"
#include "train/programs.hpp"

namespace tenon {

struct ObjectivePlan {
    graph::Unit unit;
    TrainTable train;                    // [train]
    std::vector<graph::Column> columns;  // that its programs may read
    BuiltProgram update;
    BuiltProgram prepare;  // this and the next: on whole batches, if the objective has these functions
    BuiltProgram conclude;
    std::vector<StagePlan> stages;

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
