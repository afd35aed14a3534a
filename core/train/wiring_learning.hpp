// SPDX-License-Identifier: Apache-2.0
// The part of a wiring that learns: an objective's programs, and what they read.
#pragma once

#include <cstdint>

#include "error/problem.hpp"
#include "train/programs.hpp"

namespace tenon {

struct Wiring;

// Whether the objective, if there is one, can learn from a [buffer], if there is one. Wants its unit alone.
void check_takes_buffer(const Wiring& wiring, Problems& problems);

// Steps in a sequence that updates see; 0: they see single frames.
std::int64_t sequence_length(const Wiring& wiring);

// Builds the programs of the objective, if there is one, on the env's columns and `outputs`, what else acting leaves.
void wire_learning(Wiring& wiring, const BuildSite& site, const std::vector<graph::Column>& outputs,
                   Problems& problems);

// Whether a program of the objective reads the column.
bool learning_reads(const Wiring& wiring, std::string_view key);

// Whether it does so of what is stored under that key, in its own place or gathered into another.
bool learning_wants(const Wiring& wiring, std::string_view stored);

}  // namespace tenon
