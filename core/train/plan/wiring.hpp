// SPDX-License-Identifier: Apache-2.0
// A wired manifest: all its parts have been found, loaded, asked for their specs and built into graphs. `validate`
// stops here, and a run begins with it. Nothing has been computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/spec.hpp"
#include "base/device/device.hpp"
#include "base/profile/profile.hpp"
#include "compute/exec/program.hpp"
#include "compute/graph/context.hpp"
#include "config/manifest/manifest.hpp"
#include "experience/env/lanes.hpp"
#include "experience/replay/storage.hpp"
#include "experience/replay/storage_kind.hpp"
#include "plugins/plugin/host_services.hpp"
#include "plugins/plugin/registry.hpp"
#include "train/plan/buffer_plan.hpp"
#include "train/plan/hook_plan.hpp"
#include "train/plan/live.hpp"
#include "train/plan/objective_plan.hpp"
#include "train/plan/parts.hpp"
#include "train/plan/programs.hpp"

namespace tenon {

struct Host;
class RecordingKind;
class SourceKind;

// A column that says for each frame how many updates the parameters had when they began to act. It is stored if an
// objective or a hook reads it.
inline constexpr std::string_view kPolicyVersion = "policy_version";

struct Wiring {
    Manifest manifest;
    std::shared_ptr<Device> device;  // null: run.device is "cpu"
    Host* host = nullptr;            // has the plugins that it uses
    bool restored = false;           // the weights come from a checkpoint, so policy.NAME.init is not read
    bool resumed = false;            // the run has begun before, with or without a checkpoint
    bool built = false;              // its parts exist and its graphs are built; otherwise problems say what is wrong
    Parts parts;
    LivePlan live;
    Composite env_specs;                                 // after transforms
    Composite inner_specs;                               // before transforms
    Spec summed;                                         // the reward that returns are sums of, before transforms
    std::vector<std::string> rewarded;                   // groups_with_rewards of the env
    std::int64_t episode_limit = 0;                      // of the env; 0: none
    std::optional<DeviceEnv::Crossing> device_crossing;  // if its lanes are on the device
    std::string
        // why columns do not stay on the device, as a clause; empty: they do, or there is no device
        why_columns_on_host;
    std::uint32_t at_once = 0;         // the number of its lanes that step at the same time in a pool; 0: all
    std::vector<graph::Group> groups;  // of its agents

    std::vector<Instance> graph_instances;  // of the units below
    std::vector<graph::Unit> networks;
    std::vector<graph::ColumnTransform> transforms;  // only graphs; other transforms belong to the lanes
    std::vector<graph::Unit> explorations;           // as Manifest::explorations; wire_groups finds their groups
    const Part* procedure = nullptr;                 // the acting policy, if it is a procedure

    Layouts layouts;
    std::vector<graph::Column> act_columns;
    BuiltProgram act;  // empty if a procedure acts or nothing learns
    BuiltProgram mode;
    BuiltProgram evaluate;  // empty if evaluations use the mode
    BuiltProgram guide;     // of a procedure that plans; empty if no network has a function `guide`
    std::vector<ObjectivePlan> objectives;
    std::vector<StorageColumn> stored;  // the env's columns, and the policy's outputs that are read
    std::vector<BufferPlan> buffers;    // as Manifest::buffers
    std::vector<HookPlan> hooks;        // as Manifest::hooks
    std::vector<std::string> unread;    // observations of the env that nothing reads

    // Whether the device does all of a round, from acting to learning.
    [[nodiscard]] bool columns_on_device() const {
        return device != nullptr && learns() && why_columns_on_host.empty();
    }
    [[nodiscard]] DType real() const { return manifest.run.dtype == "float64" ? DType::kF64 : DType::kF32; }
    [[nodiscard]] std::uint64_t seed() const { return static_cast<std::uint64_t>(manifest.run.seed); }
    [[nodiscard]] bool learns() const { return !objectives.empty(); }
    // Whether objectives learn from each batch as a whole, which is then dropped; otherwise buffers choose rows of
    // older frames.
    [[nodiscard]] bool learns_by_batch() const {
        return std::ranges::any_of(objectives, [](const ObjectivePlan& plan) { return plan.by_batch(); });
    }
    // The buffer that takes the collected frames; null if there is none.
    [[nodiscard]] const BufferPlan* collecting() const {
        const auto found = std::ranges::find_if(buffers, [](const BufferPlan& plan) { return plan.collects(); });
        return found == buffers.end() ? nullptr : &*found;
    }
    [[nodiscard]] const BuiltProgram& evaluating() const { return evaluate.exists() ? evaluate : mode; }
    [[nodiscard]] bool acts_by_graph() const { return !act.graph.writes.empty(); }
    // Whether a round's frames are collected while its updates are made.
    [[nodiscard]] bool collects_async() const { return collects_while_learning() && !prefetches_batches(); }
    // Whether worker processes collect the next whole batch while the units learn from this one.
    [[nodiscard]] bool prefetches_batches() const { return collects_in_processes() && learns_by_batch(); }
    [[nodiscard]] bool collects_while_learning() const {
        return manifest.collector && (manifest.collector->kind == "async" || collects_in_processes());
    }
    // Whether worker processes collect, each with lanes and the policy.
    [[nodiscard]] bool collects_in_processes() const {
        return manifest.collector && manifest.collector->kind == "processes";
    }
    // Whether lanes step independently, each when it is ready.
    [[nodiscard]] bool pools() const { return manifest.collector && manifest.collector->kind == "pool"; }
    // Whether networks act with a version of their parameters that may be older than the newest.
    [[nodiscard]] bool acts_by_version() const { return lag() > 0 || (collects_while_learning() && acts_by_graph()); }
    // Whether frames may have the column kPolicyVersion of the host; not if the env or the policy has a column of this
    // name.
    [[nodiscard]] bool offers_version() const;
    // Rounds by which acting lags behind learning.
    [[nodiscard]] std::int64_t lag() const { return manifest.collector ? manifest.collector->lag : 0; }
};

// What wiring had to make to learn the specs, and what the run then uses: a collector takes it.
struct Running {
    std::optional<Lanes> lanes;                  // of training
    std::optional<Instance> procedure;           // the acting policy, if it is a procedure
    std::vector<std::optional<Storage>> frames;  // by buffer: those of its init
    std::vector<Instance> hooks;                 // as Wiring::hooks
};

// The shared services of a run's parts; it must outlive the wiring.
struct Host {
    Pool pool;
    HostServices services;
    Registry registry;
    std::unique_ptr<Profile> profile;  // of the thread that trains; null: it is not measured
    std::vector<std::string> folders;  // folders of plugins in addition to those of the manifest
    // Why the reference executor cannot compute on this device, as a clause; empty: it can.
    std::string (*libtorch_lacks)(const Device& device) = nullptr;
    std::span<const StorageKind* const> storages = {};      // the kinds that this program has, besides "memory"
    std::span<const SourceKind* const> sources = {};        // besides lanes in this process (source_kind.hpp)
    std::span<const RecordingKind* const> recordings = {};  // one or none (recording_kind.hpp)
    Exchange* exchange = nullptr;  // with the other shards of the run (Call::exchange); null: there are none

    Host(unsigned threads, Registry scanned) : pool(threads), services(pool), registry(std::move(scanned)) {}
};

// The text form of all learning programs, without source positions. A resumed run must have the same text.
std::string learning_text(const Wiring& wiring);

// Wires the manifest. Adds every problem that can be found; the result is complete if there are none. restored: as in
// Wiring. What runs depends on the wiring, which must outlive it.
std::unique_ptr<Wiring> wire(Manifest manifest, Host& host, bool restored, Running& running, Problems& problems);

}  // namespace tenon
