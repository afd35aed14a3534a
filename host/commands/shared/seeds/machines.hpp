// SPDX-License-Identifier: Apache-2.0
// Where several runs are started: on this machine, or on others by a command such as ssh or srun. All machines see the
// same files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

struct Machine {
    std::string name;       // empty: the command chooses one
    std::size_t slots = 1;  // runs at a time
};

struct Machines {
    std::vector<std::string> via;  // words of the command that starts a run; empty: they run on this machine
    std::vector<Machine> all = {Machine()};
};

// `via` is a command with its arguments, separated by spaces; '..' and ".." keep spaces in a word. Its {host} is
// replaced by the name of a machine of `hosts`, "a:4,b": 4 runs at a time on a, one on b. Without hosts it starts
// `jobs` runs at a time. Both empty: `jobs` runs at a time on this machine.
Result<Machines> read_machines(std::string_view via, std::string_view hosts, std::size_t jobs);

// Runs at a time on all machines.
std::size_t slots_of(const Machines& machines);

// The words of the command for this machine.
std::vector<std::string> command_on(const Machines& machines, const Machine& machine);

}  // namespace tenon
