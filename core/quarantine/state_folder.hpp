// SPDX-License-Identifier: Apache-2.0
// Where the program keeps what it has found out, from one run to the next.
#pragma once

#include <filesystem>

namespace tenon {

// What TENON_STATE names, or the folder tenon in XDG_STATE_HOME or in ~/.local/state. Empty where nothing says where.
// It need not be there.
std::filesystem::path state_folder();

}  // namespace tenon
