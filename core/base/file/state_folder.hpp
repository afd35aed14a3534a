// SPDX-License-Identifier: Apache-2.0
// The folder for data that the program keeps between runs.
#pragma once

#include <filesystem>

namespace tenon {

// The folder that TENON_STATE names, or tenon in XDG_STATE_HOME or in ~/.local/state. Empty if none of these is set. It
// need not exist.
std::filesystem::path state_folder();

}  // namespace tenon
