// SPDX-License-Identifier: Apache-2.0
// A manifest with everything in it found, loaded, asked for its specs and built into graphs: all that `validate` looks
// at, and what a run begins from. Nothing is computed here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/spec.hpp"
#include "env/lanes.hpp"
#include "env/procedural.hpp"
#include "exec/program.hpp"
#include "graph/context.hpp"
#include "manifest/manifest.hpp"
#include "plugin/host_services.hpp"
#include "plugin/registry.hpp"
#include "replay/sampler.hpp"
#include "replay/storage.hpp"
#include "train/live.hpp"
#include "train/parts.hpp"
#include "train/programs.hpp"
#include "train/stages.hpp"

namespace tenon {

struct Wiring {
    Manifest manifest;
    bool restored = false;  // the weights will come from a checkpoint: what policy.NAME.init names is not read
    Parts parts;
    LiveValues live;
    Composite env_specs;  // as the outside sees them, after transforms

    std::vector<Instance> graph_instances;  // behind the units below
    std::vector<graph::Unit> networks;
    std::vector<graph::ColumnTransform> transforms;  // those that are graphs; the others are the lanes'
    std::optional<graph::Unit> exploration;
    std::optional<graph::Unit> objective;
    std::optional<Instance> procedural;  // the acting policy, where it is no graph

    Layouts layouts;
    std::vector<graph::Column> act_columns;
    std::vector<graph::Column> update_columns;
    BuiltProgram act;  // empty graphs where a procedure acts or nothing learns
    BuiltProgram mode;
    BuiltProgram evaluate;  // empty where evaluations take the mode
    BuiltProgram update;
    BuiltProgram prepare;  // these two: on whole batches, where the objective has such functions
    BuiltProgram conclude;
    std::vector<StagePlan> stages;
    std::vector<StorageColumn> stored;  // the env's columns and what of the policy's outputs somebody reads

    std::optional<Storage> initial_frames;  // of buffer.init, until a trainer takes them

    std::optional<Lanes> lanes;
    std::optional<Sampler> sampler;
    OptionNumbers sampler_options;

    [[nodiscard]] DType real() const { return manifest.run.dtype == "float64" ? DType::kF64 : DType::kF32; }
    [[nodiscard]] bool learns() const { return objective.has_value(); }
    // Whether each batch is learnt from as a whole and dropped; otherwise a buffer chooses rows of old ones.
    [[nodiscard]] bool learns_by_batch() const { return learns() && !manifest.buffer; }
    [[nodiscard]] const BuiltProgram& evaluating() const { return evaluate.there() ? evaluate : mode; }
    [[nodiscard]] bool acts_by_graph() const { return !act.graph.writes.empty(); }
};

// Everything that a run's parts hang on; outlives the wiring.
struct Host {
    Pool pool;
    HostServices services;
    Registry registry;

    Host(unsigned threads, Registry scanned) : pool(threads), services(pool), registry(std::move(scanned)) {}
};

// What `act` or `mode` writes besides the action, as columns that may be stored.
std::vector<graph::Column> columns_of_acting(const Wiring& wiring, const BuiltProgram& program);

// Names of all metrics of the objective, in the order in which a trainer reports them.
std::vector<std::string> metrics_of(const Wiring& wiring);

// The text form of everything that learns, without places: what a resumed run must have again.
std::string learning_text(const Wiring& wiring);

// Wires the manifest. Every problem that can be found is added; without any, the result is complete. restored: as in
// Wiring.
std::unique_ptr<Wiring> wire(Manifest manifest, Host& host, bool restored, Problems& problems);

}  // namespace tenon
