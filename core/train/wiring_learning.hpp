// SPDX-License-Identifier: Apache-2.0
// The learning part of a wiring: an objective's programs and the columns that they read.
#pragma once

#include <cstdint>

#include "error/problem.hpp"
#include "train/programs.hpp"

namespace tenon {

struct Wiring;

// Whether the objective, if any, can learn from the [buffer], if any. Requires only its unit.
void check_takes_buffer(const Wiring& wiring, Problems& problems);

// Steps per sequence in updates; 0: single frames.
std::int64_t sequence_length(const Wiring& wiring);

// Builds the programs of the objective, if any, on the env's columns and `outputs`, the other outputs of acting.
void wire_learning(Wiring& wiring, const BuildSite& site, const std::vector<graph::Column>& outputs,
                   Problems& problems);

// Whether a program of the objective reads the column.
bool learning_reads(const Wiring& wiring, std::string_view key);

// Whether it reads the data stored under that key, directly or gathered into another column.
bool learning_wants(const Wiring& wiring, std::string_view stored);

}  // namespace tenon
