// SPDX-License-Identifier: Apache-2.0
// The executor of a shard: updates and programs of whole batches, which all shards run at once, read values of the rows
// of all shards (shared_graph.hpp). Other programs are made by the inner executor and run as without shards.
#pragma once

#include <memory>

#include "compute/exec/program.hpp"
#include "engines/shards/group.hpp"

namespace tenon {

std::unique_ptr<Executor> make_shared_executor(std::unique_ptr<Executor> inner, Group& group);

}  // namespace tenon
