// SPDX-License-Identifier: Apache-2.0
// The parts of an explanation. All require a complete wiring.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/plan/wiring.hpp"

namespace tenon {

// The loop of a run in one or two sentences.
std::string loop_of(const Wiring& wiring);

// The named buffers of a run: who samples them, and which frames they have.
struct ExplainedBuffer {
    std::string name;
    std::string sampler;      // empty: a mixture of others
    std::string frames;       // "4000 of manifests/expert.frames", "the newest 3000 of the run", "0.5 of a, 0.5 of b"
    std::uint64_t bytes = 0;  // of frames that the run has not collected; the storage's columns have the others
};

// None where the only buffer has no name.
std::vector<ExplainedBuffer> buffers_of(const Wiring& wiring, const Running& running);

// How the programs of a run read categorical observations: one-hot, as numbers, or as indices.
struct ExplainedCategories {
    std::string column;
    std::vector<std::int64_t> sizes;   // number of categories, for each choice
    std::vector<std::string> read_as;  // "one-hot", "number", "index"
};

// For every categorical observation that a program reads.
std::vector<ExplainedCategories> categories_of(const Wiring& wiring);

// The layers of networks that read images, with their input and output sizes.
struct ExplainedLayer {
    std::string network;
    std::string name;  // of its parameters, "0"; empty if it has none
    std::string op;    // "conv2d"
    std::vector<std::int64_t> reads;
    std::vector<std::int64_t> gives;

    bool operator==(const ExplainedLayer&) const = default;
};

// In the order of computation; none for networks without convolutions.
std::vector<ExplainedLayer> layers_of(const Wiring& wiring);

// The device of a run, and what it computes.
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

//
ExplainedDevice device_of(const Wiring& wiring);

// What the shards of a run share, and what this costs. Begins with a blank; empty if the run has one shard.
std::string shards_of(const Wiring& wiring);

}  // namespace tenon
