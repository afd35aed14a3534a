// SPDX-License-Identifier: Apache-2.0
// Whether other machines can take part in runs: each is reached, has this build of Tenon, and sees this folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "shared/seeds/machines.hpp"

namespace tenon {

struct AskedMachine {
    std::string name;
    std::string fault;  // empty: it can
};

// Starts `program doctor --from-launcher` on all machines at the same time. One that says nothing for TENON_WAIT
// seconds, 30 if it is not set, is not reached.
Result<std::vector<AskedMachine>> ask_machines(const Machines& machines, const std::filesystem::path& program);

// The answer of the machine that is asked. What asks is in the first line of standard input.
Status answer_launcher();

}  // namespace tenon
