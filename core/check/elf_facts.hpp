// SPDX-License-Identifier: Apache-2.0
// What a shared library exports, read without loading it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "error/result.hpp"

namespace tenon {

struct ElfFacts {
    std::vector<std::string> exported;  // what other libraries of a process can see of it
    std::vector<std::string> unique;    // of these what all libraries of a process share, whatever their visibility
    bool has_fast_math_start = false;   // the start-up code that a link with -ffast-math adds
    bool has_executable_stack = false;
};

// Of a file whose note could be read.
Result<ElfFacts> read_elf_facts(const std::filesystem::path& file);

}  // namespace tenon
