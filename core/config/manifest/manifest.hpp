// SPDX-License-Identifier: Apache-2.0
// The content of a manifest as plain data: every table, typed and with its defaults. keys.toml explains the keys; their
// members are in structs that are made from it. This file has what tables hold besides keys. Options of components are
// kept as given; options.hpp reads them when the component's schema is known.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/manifest/document.hpp"
#include "config/manifest/generated/keys.hpp"

namespace tenon {

struct ComponentRef {
    std::string plugin;  // "library/component"; empty if the table does not say
    Place place;
};

struct GivenOption {
    std::string name;
    TomlNode value;
};

struct ComponentTable {
    std::string path;    // for messages: "env", "env.transforms.0", "policy.actor", "objective"
    std::string schema;  // the name of its TableSchema
    ComponentRef ref;
    std::optional<std::string> isolation = {};  // overrides PluginsTable::isolation
    std::string group = {};                     // the group of agents for which a policy or an objective is
    std::vector<GivenOption> options;           // all keys that are not the table's own, as written
    Place place;                                // the header
};

struct RunTable : RunKeys {
    // The number of this process's shard. It is no key: the sizes of the manifest are then those of one shard
    // (shards.hpp).
    std::optional<std::int64_t> shard;
};

struct PinnedLibrary {
    std::string library;
    std::string sha256;  // in lower case
    Place place;
};

struct PluginsTable : PluginsKeys {
    std::vector<PinnedLibrary> sha256;
};

// One of several tasks that share the lanes of an env.
struct TaskTable : TaskKeys {
    ComponentTable component;  // complete: also with what [env] gives; it has a name, too
};

struct EnvTable : EnvKeys {
    ComponentTable component;
    std::vector<TaskTable> tasks;     // none: the component is the only one
    std::vector<GivenOption> shared;  // what [env] gives to its tasks; its component then has no options
    std::vector<ComponentTable> wrappers;
    std::vector<ComponentTable> transforms;
};

struct PolicyTable : PolicyKeys {
    std::string name;
    ComponentTable component;
    std::optional<ReferenceTable> reference;
};

// A network's function whose result replaces a column.
struct StandInTable : StandInKeys {
    std::string key;  // "next.reward"
    Place place;
};

// What changes the actions of one acting policy.
struct ExplorationTable {
    std::string group;  // of [exploration.GROUP]; empty for [exploration]
    ComponentTable component;
};

// A part of the rows of a mixture.
struct MixTable {
    std::string buffer;
    double fraction = 0;
};

struct BufferTable : BufferKeys {
    std::string name;          // of [buffer.NAME]; empty for [buffer]
    ComponentTable component;  // none if it is a mixture
    std::vector<MixTable> mix;
    std::vector<ComponentTable> transforms;  // of the rows of minibatches
};

// A batch that an objective reads in addition to its own rows.
struct BatchTable {
    std::string name;  // the columns' prefix, without its dot
    std::string buffer;
};

// The network that an objective gets when it calls a role.
struct RoleTable {
    std::string role;
    std::string network;
};

struct ObjectiveTable : ObjectiveKeys {
    ComponentTable component;
    std::vector<BatchTable> batches;
    std::vector<RoleTable> networks;  // for other roles it gets the network of that name
};

struct HookTable : HookKeys {
    ComponentTable component;  // paths "hooks.0", "hooks.1", ...
};

struct OptimiserStage {
    std::string name;
    OptimiserTable table;  // its own keys; every other key of its kind is that of [optimiser], including its schedule
};

struct ScheduleTable {
    std::string option;                      // the dotted path: "exploration.epsilon"
    std::vector<SchedulePieceTable> pieces;  // one after another
    bool list = false;                       // written as a list
    Place place;                             // of the path's last part
};

struct EvalEnvTable : EvalEnvKeys {
    ComponentTable component;  // its plugin is that of [env] if the table gives none
    std::vector<TaskTable> tasks;
    bool own_wrappers = false;  // given, even as an empty list; otherwise those of [env]
    std::vector<ComponentTable> wrappers;
    bool own_transforms = false;  // as for wrappers
    std::vector<ComponentTable> transforms;
};

struct EvalTable : EvalKeys {
    std::vector<EvalEnvTable> envs;  // none: evaluations use the training env
};

struct Manifest {
    RunTable run;
    PluginsTable plugins;
    IsolationTable isolation;
    EnvTable env;
    std::vector<PolicyTable> policies;
    std::vector<ExplorationTable> explorations;
    std::optional<ParameterNoiseTable> parameter_noise;
    std::optional<CollectorTable> collector;
    TrainTable train;
    std::vector<BufferTable> buffers;  // [buffer] alone, or every [buffer.NAME]
    std::vector<StandInTable> columns;
    std::vector<ObjectiveTable> objectives;  // paths "objective", or "objective.0", "objective.1", ... of [[objective]]
    OptimiserTable optimiser;
    std::vector<OptimiserStage> optimiser_stages;
    TargetTable target;
    std::vector<HookTable> hooks;
    std::vector<ScheduleTable> schedules;
    EvalTable eval;
    LogTable log;
    CheckpointTable checkpoint;
    ClusterTable cluster;
    ValidateTable validate;

    Place place;                                      // the file as a whole
    std::map<std::string, Place, std::less<>> given;  // "run" -> its header, "run.seed" -> its value
    std::set<std::string, std::less<>> refused;       // of these, values that were replaced because they are invalid
};

// The buffer of that name; null if there is none.
const BufferTable* find_buffer(const Manifest& manifest, std::string_view name);

// The buffer that takes the frames that a run collects; null if each batch is learnt from as a whole.
const BufferTable* collecting_buffer(const Manifest& manifest);

// Whether every buffer exists that an objective or a mixture names; those that do not have been reported.
bool has_named_buffers(const Manifest& manifest);

// Adds every problem that can be found without knowing the components; the result is complete only if there is none.
Manifest read_tables(const Document& document, Problems& problems);

// Reads only [plugins], [isolation] and [env].
Manifest read_env_tables(const Document& document, Problems& problems);

// The place where `path` ("train.batch") was given, or else the table that would contain it, or else the file.
Place place_of(const Manifest& manifest, std::string_view path);

}  // namespace tenon
