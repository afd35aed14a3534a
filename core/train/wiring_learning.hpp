// SPDX-License-Identifier: Apache-2.0
// The part of a wiring that learns: an objective's programs, what they read, and whether the manifest's [train] suits
// them.
#pragma once

#include "error/problem.hpp"
#include "train/programs.hpp"

namespace tenon {

struct Wiring;

// Keys of [train] that this run has no use for, and sizes of batch and minibatch that do not fit each other.
void check_train(const Wiring& wiring, Problems& problems);

// Whether whole episodes (train.episodes) have an end in this env, and fit. Wants its lanes.
void check_episodes(const Wiring& wiring, Problems& problems);

// Builds the programs of the objective, if there is one, on the env's columns and `outputs`, what else acting leaves.
void wire_learning(Wiring& wiring, const BuildSite& site, const std::vector<graph::Column>& outputs,
                   Problems& problems);

// Whether a program of the objective reads the column.
bool learning_reads(const Wiring& wiring, std::string_view key);

// Whether it does so of what is stored under that key, in its own place or gathered into another.
bool learning_wants(const Wiring& wiring, std::string_view stored);

}  // namespace tenon
