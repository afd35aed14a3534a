// SPDX-License-Identifier: Apache-2.0
// The options of all commands that take a manifest, or an algorithm and an env instead of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error/problem.hpp"
#include "command_line.hpp"
#include "run/start/setup.hpp"

namespace tenon::host {

void add_manifest_options(CommandLine& line);

// --seed N becomes the override run.seed=N, which is applied last. Two words are an algorithm and an env. They become
// the request's document; `file` is the file to which it will be written, if any. Adds every problem.
Request manifest_request(const CommandLine& line, Problems& problems, const std::filesystem::path& file = {});

// Wires the manifest, and checks that an executor can run it; `asker`: what needs one, for the problem that there is
// none. Adds every problem; without problems the setup is complete.
Setup set_up_whole(const Request& request, const std::string& asker, Problems& problems);

// The text of the manifest that an algorithm and an env have given.
std::string init_text(const Request& request);

// The same for the words of the line, wired to find mistakes. Adds every problem.
std::optional<std::string> text_of_words(const CommandLine& line, Problems& problems,
                                         const std::filesystem::path& file = {});

// The list of algorithms, for the help of these commands.
std::string algorithms_help();

}  // namespace tenon::host
