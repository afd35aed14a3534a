// SPDX-License-Identifier: Apache-2.0
// Finds another program, and starts it as a child process.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

// The program of that name in the folders of PATH.
std::optional<std::filesystem::path> program_on_path(std::string_view name);

// The words in the form that exec takes; they must outlive it.
std::vector<char*> exec_words(std::vector<std::string>& words);

// A descriptor of this process, and its number in the child.
struct Inherited {
    int descriptor;
    int number;
};

// words[0] is the name that the program sees as its own. The child has its own process group: Ctrl-C is for this
// process only, and the child can be ended together with its own children.
Result<pid_t> spawn(const std::filesystem::path& program, std::vector<std::string> words,
                    std::initializer_list<Inherited> descriptors);

}  // namespace tenon
