// SPDX-License-Identifier: Apache-2.0
// The loop of a run in one or two sentences.
#pragma once

#include <string>

namespace tenon {

struct Wiring;

// Requires a complete wiring.
std::string loop_of(const Wiring& wiring);

}  // namespace tenon
