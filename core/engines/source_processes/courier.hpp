// SPDX-License-Identifier: Apache-2.0
// Lets a worker process of the trainer be on another machine, while neither of them knows. A courier on the trainer's
// machine takes the worker's place there. It starts a command such as `ssh node7`, which starts the other courier,
// whose child the worker is. Both have a desk (worker_desk.hpp), and tell each other through the command's standard
// streams what has been written to theirs.
//
// The end of either courier is an end of file for the other one, so nothing is left running when a machine or the way
// to it fails.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tenon {

// How soon a courier sees what rings no bell, in seconds. Each glance takes a core from a worker.
inline constexpr double kCourierGlance = 0.002;

// The courier on the trainer's machine. `descriptor`: of the desk; `command`: what starts the other courier, such as
// ssh node7. Returns the exit code of the process.
int serve_local_courier(int descriptor, std::vector<std::string> command);

// The one on the worker's machine.
int serve_remote_courier();

}  // namespace tenon
