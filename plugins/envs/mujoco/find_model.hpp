// SPDX-License-Identifier: Apache-2.0
// Finds files of Python packages without starting Python. Models belong to their packages, which this repository does
// not copy.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace physics {

// The folders in which this machine's Python has packages: those of $VIRTUAL_ENV, of the python3 on the PATH, of the
// user, of $TENON_PYTHON, and `packages` next to MuJoCo's library, in this order. Folders that do not exist are left
// out.
std::vector<std::filesystem::path> package_folders();

// What a package has installed, for example find_in_package("gymnasium", "envs/mujoco/assets/ant.xml"). Throws with the
// folders that were searched and `pip install REQUIREMENT`.
std::filesystem::path find_in_package(const std::string& package, const std::string& file,
                                      std::string_view requirement);

}  // namespace physics
