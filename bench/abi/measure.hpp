// SPDX-License-Identifier: Apache-2.0
// What is measured, and its figures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "turns.hpp"
#include "ways.hpp"

namespace tenon::bench {

// One way of calling an env, compared with the baseline.
struct Overhead {
    Spread ns;  // a call, which steps all lanes
    Spread ratio;
    Spread more;  // nanoseconds a call
};

// CartPole's loop in one program, by the plugin's function alone, and as the host steps the plugin.
struct CallsRow {
    std::uint32_t lanes;
    Spread inlined_ns;
    Overhead abi;
    Overhead host;
};

// The host's step of an env in this process and of the same in another one.
struct ApartRow {
    std::string env;
    std::uint32_t lanes;
    Spread here_ns;
    Overhead apart;
};

// A command of the program tenon with CartPole's plugin, the quickest of some times.
struct CommandRow {
    std::string command;
    std::string plugin;
    double seconds;
};

// Each has been seen to write the same bytes all ways before it is timed, on one processor or on all that there are.
Result<std::vector<CallsRow>> measure_calls(Workshop& workshop, double seconds);
Result<std::vector<ApartRow>> measure_apart(Workshop& workshop, double seconds);

Result<CommandRow> measure_command(const Workshop& workshop, const std::string& command, int times);

}  // namespace tenon::bench
