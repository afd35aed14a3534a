// SPDX-License-Identifier: Apache-2.0
// Prints what is deleted, or would be, for people and for scripts.
#pragma once

#include <vector>

#include "commands/prune/prune.hpp"

namespace tenon::host {

void print_json(const PrunePlan& plan, bool deleted);
void print_table(const std::vector<PrunePlan>& plans, bool deleted);

}  // namespace tenon::host
