// SPDX-License-Identifier: Apache-2.0
// A policy as one file of C99, with its weights and without dependencies but the C library.
#pragma once

#include <string>

#include "commands/export/acting_policy.hpp"

namespace tenon {

// `name`: the prefix of the file's functions.
Result<std::string> c_file(const ActingPolicy& policy, const std::string& name);

// Opens the policy and writes the file. Adds every problem.
bool export_c(const RunRequest& request, const std::filesystem::path& out, const Notice& notice, Problems& problems);

}  // namespace tenon
