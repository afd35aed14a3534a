// SPDX-License-Identifier: Apache-2.0
// Ties a process to the one that starts it: when the starter has ended, however it did, the kernel kills the process
// and those that it has started, whatever they are doing.
#pragma once

#include <csignal>

#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"
#include "base/file/sync.hpp"

namespace tenon {

// A pipe into which nothing is written.
struct Lifeline {
    PrivateDescriptor held;  // only by the starter; the process ends when it is closed
    FileDescriptor given;    // to the process
};

Result<Lifeline> make_lifeline();

// For the process, which must lead its process group: from now on its group ends with the starter. False if the starter
// has ended already, or if the kernel refuses; the process is to end then. `by`: the signal that the group gets.
[[nodiscard]] bool end_with_starter(int given, int by = SIGKILL);

}  // namespace tenon
