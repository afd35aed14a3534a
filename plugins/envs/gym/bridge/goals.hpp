// SPDX-License-Identifier: Apache-2.0
// Goals in hindsight of environments in Python: one worker is asked for all rows of a minibatch at once.
#pragma once

#include "tenon/goal.hpp"
#include "worker.hpp"

namespace bridge {

// The names of Gymnasium's goal environments. Throws tenon::Unavailable, saying why, if the worker's have no goals.
tenon::GoalSpec goals_of(Worker& worker);

// Writes the rewards and ends that the worker's environment computes for the wanted rows. `goal`: the column that is
// achieved.
void judge(Worker& worker, const tenon::Spec& goal, const tenon::GoalRows& rows);

}  // namespace bridge
