// SPDX-License-Identifier: Apache-2.0
// The learning part of a wiring: the objectives' programs and the columns that they read.
#pragma once

#include <cstdint>

#include "base/error/problem.hpp"
#include "train/plan/buffer_plan.hpp"
#include "train/plan/objective_plan.hpp"

namespace tenon {

struct Wiring;

// Checks that the objectives can learn from the [buffer], if there is one. Requires only their units.
void check_takes_buffer(const Wiring& wiring, Problems& problems);

// Steps per sequence in updates; 0: single frames.
std::int64_t sequence_length(const Wiring& wiring, const ObjectivePlan& plan);

// Builds the programs of one of the wiring's objectives on the env's columns and `outputs`, the other outputs of
// acting.
void wire_learning(Wiring& wiring, ObjectivePlan& plan, const BuildSite& site,
                   const std::vector<graph::Column>& outputs, Problems& problems);

// Whether an objective reads the column that is stored under that key, directly or gathered into another column: from
// this buffer, or from the collected batch (null).
bool learning_wants(const Wiring& wiring, const BufferPlan* buffer, std::string_view stored);

}  // namespace tenon
