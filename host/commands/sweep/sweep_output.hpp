// SPDX-License-Identifier: Apache-2.0
// The trials of a sweep, as a table and as JSON.
#pragma once

#include "commands/sweep/sweep.hpp"
#include "commands/sweep/sweep_file.hpp"

namespace tenon::host {

void print_sweep(const SweepFile& file, const Sweep& sweep);
void print_sweep_json(const SweepFile& file, const Sweep& sweep, const std::string& out);

}  // namespace tenon::host
