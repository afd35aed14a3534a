// SPDX-License-Identifier: Apache-2.0
// Run folders that somebody sends. An input replaces files of a folder that this process has trained: for each a line
// "=== PATH" and the file's bytes.
#pragma once

#include "fuzz/target.hpp"

namespace tenon::fuzz {

void run_folder(std::span<const std::uint8_t> bytes);
std::vector<Input> files_of_a_run();
void mutate_run_folder(Input& input, const Input& other, Random& random);

}  // namespace tenon::fuzz
