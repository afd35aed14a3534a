// SPDX-License-Identifier: Apache-2.0
// The table [space] of SWEEP.toml.
#pragma once

#include "base/error/problem.hpp"
#include "commands/sweep/sweep_file.hpp"
#include "config/manifest/document.hpp"

namespace tenon {

// Fills keys and space; adds every problem.
void read_space(const Document& document, SweepFile& out, Problems& problems);

}  // namespace tenon
