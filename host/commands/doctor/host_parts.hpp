// SPDX-License-Identifier: Apache-2.0
// What the program itself can use on this machine.
#pragma once

#include <vector>

#include "commands/doctor/needs.hpp"

namespace tenon {

// libtorch, ffmpeg, a graphics processor, CUDA and its compiler, engines of links between shards.
std::vector<MachinePart> host_parts();

}  // namespace tenon
