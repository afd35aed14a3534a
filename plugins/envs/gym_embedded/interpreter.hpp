// SPDX-License-Identifier: Apache-2.0
// The interpreter in this process.
#pragma once

#include <string>

namespace embedded {

// Starts the interpreter at a path, with the folder tenon_worker as a package; `name` is the name of the environments
// in sentences. A process has one interpreter, which stays until the process ends: numpy cannot be loaded a second
// time. Throws if it cannot be started, or if the process has another one.
void start_interpreter(const std::string& path, const std::string& package, const std::string& name);

}  // namespace embedded
