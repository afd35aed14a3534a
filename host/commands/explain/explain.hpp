// SPDX-License-Identifier: Apache-2.0
// The wiring of a run in words and numbers: columns, networks, stages, schedules, hooks, the loop and its memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "commands/explain/explain_parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

struct ExplainedPlugin {
    std::string name;  // as the manifest names it: "awr", "shipped:awr"
    std::string path;
    std::string in_place_of;  // the shipped plugin of that name, if it is not this one
};

struct ExplainedTask {
    std::string name;
    std::string component;
    std::uint32_t first = 0;  // lane
    std::uint32_t lanes = 0;
};

struct ExplainedColumn {
    std::string key;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::string writer;                // "env", "policy.qvalue, exploration", "policy.value (run in acting)", "host"
    std::vector<std::string> readers;  // "policy.qvalue", "objective"
    std::uint64_t row_bytes = 0;       // per lane and step
    std::uint64_t bytes = 0;           // in the storage, including final values
};

// A function of a network that replaces a column for objectives.
struct ExplainedStandIn {
    std::string key;
    std::string of;                    // "discriminator.reward"
    bool stored = false;               // the column is in the storage, too
    std::vector<std::string> readers;  // components of objectives
};

struct ExplainedNetwork {
    std::string role;
    std::string component;
    std::int64_t members = 1;
    std::uint64_t trainable = 0;  // number of parameters
    std::uint64_t state = 0;      // number of untrained state elements
    bool target = false;
    std::vector<std::string> copies;  // the other versions that the run keeps: "reference", "behaviour"
    bool frozen = false;
    std::string init;         // a file or run folder; empty: random
    std::uint64_t bytes = 0;  // of all its slabs, including copies, gradient and optimiser state
};

struct ExplainedStage {
    std::string name;
    std::vector<std::string> losses;
    std::vector<std::string> owns;
    std::string optimiser;  // "adam, lr 0.001"
    std::int64_t every = 1;
    std::string unit;  // the unit of `every`
};

struct ExplainedSchedule {
    std::string option;
    std::string text;  // in TOML
};

struct ExplainedHook {
    std::string component;
    std::vector<std::string> events;   // "collected", "updated"
    std::vector<std::string> reads;    // metrics and columns
    std::vector<std::string> reports;  // its metrics
    std::vector<std::string> moves;    // options
};

struct Explanation {
    std::vector<ExplainedPlugin> plugins;
    std::vector<ExplainedTask> tasks;  // of the training env; none if all lanes have the same
    std::vector<ExplainedColumn> columns;
    std::vector<ExplainedBuffer> buffers;  // that have names
    std::vector<ExplainedStandIn> stand_ins;
    std::vector<ExplainedCategories> categories;
    std::vector<ExplainedNetwork> networks;
    std::vector<ExplainedLayer> layers;
    std::vector<ExplainedStage> stages;
    std::vector<ExplainedSchedule> schedules;
    std::vector<ExplainedHook> hooks;
    std::string loop;  // one or two sentences
    ExplainedDevice device;
    std::string disk_path = {};  // of a buffer on a disk, whose columns take no memory
    std::uint64_t disk_bytes = 0;
    std::uint64_t storage_bytes = 0;  // with the frames of named buffers
    std::uint64_t network_bytes = 0;
    std::uint64_t minibatch_bytes = 0;
};

// Requires a complete wiring.
Explanation explain(const Wiring& wiring, const Running& running);

// The text form of one of its programs: act, mode, update, prepare or conclude. The problem: there is no program of
// this name.
Result<std::string> graph_text(const Wiring& wiring, std::string_view program);

}  // namespace tenon
