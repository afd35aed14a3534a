// SPDX-License-Identifier: Apache-2.0
// A case of tests/golden/objectives put together: its objective and networks, with its parameters, draws and batch.
#pragma once

#include <string>
#include <vector>

#include "peer_case.hpp"

namespace tenon::test {

// The files of tests/golden/objectives, by name.
std::vector<std::string> peer_files();

// The case in another dtype: the columns of real numbers have it too.
Plan plan_in(const PeerCase& golden, DType real);

// Random nodes get what the case says they draw, and the test fails where it leaves one out. After build, before load.
void feed(Assembly& assembly, const PeerCase& golden);

// Sets every parameter, and fails where the case leaves one out.
void set_parameters(Assembly& assembly, const PeerCase& golden, DType real);

FilledBatch batch_of(const Assembly& assembly, const PeerCase& golden);

// What an update left, by "STAGE ROLE PARAMETER": gradients by what a stage owns, of those stages that were due.
std::vector<PeerTensor> gradients(const Assembly& assembly, const Outcome& outcome, DType real);

// All parameters of targets, by "ROLE PARAMETER".
std::vector<PeerTensor> targets(const Assembly& assembly, DType real);

// What the update has made of all states, by "ROLE NAME".
std::vector<PeerTensor> states(const Assembly& assembly, DType real);

}  // namespace tenon::test
