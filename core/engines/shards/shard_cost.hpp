// SPDX-License-Identifier: Apache-2.0
// What sharing an update among processes of one machine costs and saves, by rough figures of one core and of the
// loopback. `tenon bench cluster` measures a machine.
#pragma once

#include <cstdint>
#include <string>

#include "engines/shards/shared_graph.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Of one objective's update.
struct ShardCost {
    std::uint64_t bytes = 0;  // of its gradients
    SharedCost values;        // of all rows, before the gradients or with them
    double exchange_us = 0;
    // the next two; false: a device computes it, or weights are used more often than once a row, as in a convolution
    bool is_known = true;
    double all_us = 0;    // computing the update in one process
    double share_us = 0;  // computing a shard's part of it

    [[nodiscard]] bool is_slower() const { return is_known && share_us + exchange_us >= all_us; }
};

// The minibatches of the plan are those of the whole run.
ShardCost shard_cost(const Wiring& w, const ObjectivePlan& plan, std::uint64_t shards);

// What `rows` rows of a shard cost in messages; nothing of a program that does not exist.
SharedCost shared_by(const Wiring& w, const BuiltProgram& program, std::int64_t rows, std::uint64_t shards);

// "0.05 ms": one digit.
std::string milliseconds(double us);

}  // namespace tenon
