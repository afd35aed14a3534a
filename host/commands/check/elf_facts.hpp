// SPDX-License-Identifier: Apache-2.0
// The exports of a shared library, read without loading it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct ElfFacts {
    std::vector<std::string> exported;  // symbols that other libraries of a process can see
    std::vector<std::string> unique;    // those that all libraries of a process share, whatever their visibility
    bool has_fast_math_start = false;   // the start-up code that linking with -ffast-math adds
    bool has_executable_stack = false;
};

// Requires a file whose note could be read.
Result<ElfFacts> read_elf_facts(const std::filesystem::path& file);

}  // namespace tenon
