// SPDX-License-Identifier: Apache-2.0
// The worker's side: handles requests from the shared memory until its host has ended.
#pragma once

#include <span>

namespace tenon {

// The whole program tenon-worker, with its command-line arguments. Returns its exit code.
int serve(std::span<const char* const> words);

}  // namespace tenon
