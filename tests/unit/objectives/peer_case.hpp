// SPDX-License-Identifier: Apache-2.0
// Files of tests/golden/objectives: an objective with its networks and a batch, and what a peer computes from them.
//
// A line is a word and what belongs to it; the lines of a case stand between "case NAME" and "end":
//     objective COMPONENT
//     option NAME VALUE                      (as TOML writes it, without spaces)
//     network ROLE COMPONENT COUNT
//     network_option ROLE NAME VALUE
//     group NAME AGENTS, network_group ROLE NAME, objective_group NAME
//     column KEY unbounded SIZE...           and: binary SIZE..., categorical N, one_hot N,
//                                            multi_categorical N..., bounded LOW... HIGH..., and
//                                            window KEY N (N steps of a column above)
//     function prepare                       (update where the line is missing)
//     rows N                                 or: steps N, lanes N
//     updates N                              (that came before; 0)
//     lr X                                   of a step of plain gradient descent
//     tau X                                  of the targets' move after it
// and lists of numbers:
//     live ROLE PARAMETER, target ROLE PARAMETER, reference ROLE PARAMETER, batch KEY, draw STREAM
// What is expected, lists as well:
//     loss NAME, metric NAME, written KEY, gradient STAGE ROLE PARAMETER, moved ROLE PARAMETER (the target's),
//     state ROLE NAME (after the update)
#pragma once

#include <string>
#include <vector>

#include "assembly.hpp"

namespace tenon::test {

struct PeerTensor {
    std::string name;  // the words before the numbers, "qvalue 0.weight"
    std::vector<double> values;
};

struct PeerCase {
    std::string name;
    std::string function = "update";
    Plan plan;  // in float64
    Sizes sizes;
    double updates = 0;
    std::vector<PeerTensor> live;
    std::vector<PeerTensor> target;
    std::vector<PeerTensor> reference;
    std::vector<PeerTensor> batch;
    std::vector<PeerTensor> draws;
    std::vector<PeerTensor> losses;
    std::vector<PeerTensor> metrics;
    std::vector<PeerTensor> written;
    std::vector<PeerTensor> gradients;
    std::vector<PeerTensor> moved;
    std::vector<PeerTensor> states;
};

// All cases of tests/golden/objectives/FILE. A line that is not understood fails the test.
std::vector<PeerCase> read_peer_cases(const std::string& file);

}  // namespace tenon::test
