// SPDX-License-Identifier: Apache-2.0
// What a run does over and over, in a sentence or two.
#pragma once

#include <string>

namespace tenon {

struct Wiring;

// The wiring is complete.
std::string loop_of(const Wiring& wiring);

}  // namespace tenon
