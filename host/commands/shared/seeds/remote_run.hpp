// SPDX-License-Identifier: Apache-2.0
// A run on another machine, as its launcher sees it: the process of a command such as ssh.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "base/file/private_descriptor.hpp"
#include "shared/seeds/run_log.hpp"

namespace tenon {

struct RemoteRun {
    pid_t child = 0;
    PrivateDescriptor input;  // the run leaves with a checkpoint when this is closed
};

// Starts `program subcommand` by the command, with these words after it. The output of both is appended to `log`.
Result<RemoteRun> start_remote(std::vector<std::string> command, const std::filesystem::path& program,
                               const std::string& subcommand, std::vector<std::string> words,
                               const std::filesystem::path& log);

// Why the command, and not the run, has failed; empty: it has not. `status` is that of waitpid.
std::string failure_of_command(const std::vector<std::string>& command, int status, const Printed& printed);

}  // namespace tenon
