// SPDX-License-Identifier: Apache-2.0
// The device of a run, and what it computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

struct Wiring;

struct ExplainedDevice {
    std::string name;                      // as run.device has it
    std::vector<std::string> rows_of;      // samplers that choose their rows on it; none if it is the CPU
    std::vector<std::string> learns = {};  // objectives whose updates are computed on it
    struct OnCpu {
        std::string objective;
        std::string why;
    };
    std::string loops = {};          // how a GPU computes elementwise loops of updates, as a clause; empty: no GPU does
    std::vector<OnCpu> on_cpu = {};  // objectives whose updates the CPU computes, although there is a device
    std::string steps = {};          // the env whose lanes the device steps; empty: none
    std::string why_lanes_on_host = {};    // why it steps no lanes, as a clause
    bool columns = false;                  // whether columns are on it, so that acting and gathering are, too
    std::string why_columns_on_host = {};  // why they are not, as a clause
    std::uint64_t to_device = 0;           // bytes that a step of all lanes copies to the device
    std::uint64_t back = 0;                // bytes that the step copies from it
    std::uint64_t at_end = 0;              // bytes that are also copied from it if some episode ends
};

// Requires a complete wiring.
ExplainedDevice device_of(const Wiring& wiring);

}  // namespace tenon
