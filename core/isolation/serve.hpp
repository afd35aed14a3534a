// SPDX-License-Identifier: Apache-2.0
// The worker's side: does what is asked through the shared memory until its host has gone.
#pragma once

#include <span>

namespace tenon {

// All that the program tenon-worker does, with the words it was started with. Returns its exit code.
int serve(std::span<const char* const> words);

}  // namespace tenon
