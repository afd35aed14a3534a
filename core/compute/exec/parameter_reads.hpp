// SPDX-License-Identifier: Apache-2.0
// The places where a graph reads and writes the learner's parameters and states.
#pragma once

#include <vector>

#include "base/error/result.hpp"
#include "compute/graph/graph.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

struct ParameterRead {
    graph::NodeId node = 0;
    graph::ValueId value = 0;
    std::size_t network = 0;  // of the learner
    std::size_t parameter = 0;
    ParameterSlab slab = ParameterSlab::kLive;
    bool trainable = false;
    std::ptrdiff_t after = -1;  // reads after the step of this stage; -1: at the start of the update
};

// The reads among the needed nodes. The problem names what the learner lacks.
Result<std::vector<ParameterRead>> parameter_reads(const graph::Graph& graph, const std::vector<bool>& needed,
                                                   const Learner& learner);

struct StateWrite {
    std::size_t network = 0;
    std::size_t parameter = 0;
    graph::ValueId value = 0;
};

Result<std::vector<StateWrite>> state_writes(const graph::Graph& graph, const Learner& learner);

}  // namespace tenon
