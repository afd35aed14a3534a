// SPDX-License-Identifier: Apache-2.0
// The content of a manifest as plain data: every table, typed and with its defaults. tables_*.cpp explain the keys.
// Options of components are kept as given; options.hpp reads them when the component's schema is known.
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

struct RunTable {
    std::string name;
    std::int64_t seed = 0;
    std::string device;
    std::string learn_on;
    std::string jit;
    std::int64_t threads = 0;
    std::string dtype;
    std::string executor;
    std::optional<std::int64_t> total_frames;  // none: train.total_updates is the run's length (pace.hpp)
    std::optional<double> stop_at_return;
    std::optional<std::int64_t> stop_at_episodes;
    std::optional<std::int64_t> shards;  // processes that learn together; none: 1
    // The number of this process's shard. It is no key: the sizes of the manifest are then those of one shard
    // (shards.hpp).
    std::optional<std::int64_t> shard;
};

struct PinnedLibrary {
    std::string library;
    std::string sha256;  // in lower case
    Place place;
};

struct PluginsTable {
    std::vector<std::string> search;
    std::string isolation;
    std::vector<PinnedLibrary> sha256;
};

struct IsolationTable {
    std::int64_t workers = 0;
    double time_limit = 0;
    std::int64_t restarts = 0;
    std::int64_t memory = 0;
    std::int64_t processor = 0;
    bool network = false;
};

// One of several tasks that share the lanes of an env.
struct TaskTable {
    ComponentTable component;  // complete: also with what [env] gives
    std::string name;
    std::optional<std::int64_t> lanes;
};

struct EnvTable {
    ComponentTable component;
    std::int64_t lanes = 0;
    std::optional<std::string> task_column;
    std::vector<TaskTable> tasks;     // none: the component is the only one
    std::vector<GivenOption> shared;  // what [env] gives to its tasks; its component then has no options
    std::vector<ComponentTable> wrappers;
    std::vector<ComponentTable> transforms;
};

// When the reference of a network is copied.
struct ReferenceTable {
    std::int64_t every = 0;  // updates; 0: never
};

struct PolicyTable {
    std::string name;
    ComponentTable component;
    std::int64_t count = 0;
    std::string init;
    std::string init_role;  // the name of the network in init; empty: its own
    bool freeze = false;
    std::vector<std::string> out;  // columns for other readers; empty: NAME.FUNCTION
    std::string stage;             // of the objective, if no stage owns it by its role
    std::string weights;           // of a group's agents: "shared", "own"
    std::optional<ReferenceTable> reference;
};

// A network's function whose result replaces a column.
struct StandInTable {
    std::string key;                      // "next.reward"
    std::string of;                       // "discriminator.reward"
    std::vector<std::string> objectives;  // by name; empty: all
    Place place;
};

// What changes the actions of one acting policy.
struct ExplorationTable {
    std::string group;  // of [exploration.GROUP]; empty for [exploration]
    ComponentTable component;
};

struct ParameterNoiseTable {
    double sigma = 0;
    double target = 0;
    double factor = 0;
    std::int64_t every_frames = 0;
};

struct CollectorTable {
    std::string kind;
    std::int64_t lag = 0;                 // rounds
    std::optional<std::int64_t> max_lag;  // updates
    std::optional<std::int64_t> ready;    // lanes of a pool; none: half of them
    std::optional<std::int64_t> workers;  // processes; none: 2 if lanes can be shared
    std::vector<std::string> via;         // commands that start them on other machines; none: on this one
    std::optional<std::string> record;    // a file or folder for what is collected
};

struct TrainTable {
    std::optional<std::int64_t> total_updates;  // nothing is collected: batch and start_frames are 0
    std::int64_t batch = 0;
    std::optional<std::int64_t> episodes;  // instead of batch
    std::int64_t minibatch = 0;
    std::int64_t accumulate = 0;
    std::int64_t burn_in = 0;
    std::optional<std::string> initial_memory;
    std::optional<std::int64_t> epochs;  // these four: only without a [buffer]
    std::optional<std::string> shuffle;
    std::optional<std::int64_t> slice_length;
    std::optional<std::string> prepare;
    std::optional<std::int64_t> updates_per_batch;  // at most one of the two
    std::optional<double> updates_per_frame;
    std::int64_t start_frames = 0;
    std::optional<double> clip_norm;
    std::string on_not_finite;
};

// A part of the rows of a mixture.
struct MixTable {
    std::string buffer;
    double fraction = 0;
};

// Frames, or the bytes that they may take.
struct Capacity {
    std::int64_t frames = 0;  // 0: bytes are given
    std::uint64_t bytes = 0;
    std::string size;  // the bytes as they are written: "2 GB"
};

struct BufferTable {
    std::string name;          // of [buffer.NAME]; empty for [buffer]
    ComponentTable component;  // none if it is a mixture
    Capacity capacity;
    std::string storage;
    std::string path;  // of a storage on a disk
    std::string writer;
    std::string writer_by;
    std::optional<bool> prefetch;
    std::string relabel_by;
    std::string init;
    bool transform_init = false;  // whether the env's transforms run over the frames of init
    bool collects = false;        // takes the frames that are collected; otherwise it has only those of init
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

struct ObjectiveTable {
    ComponentTable component;
    std::optional<std::string> name;
    std::optional<std::string> buffer;  // where its rows come from, if not from the buffer that collects or the batch
    std::vector<BatchTable> batches;
    std::vector<RoleTable> networks;        // for other roles it gets the network of that name
    std::int64_t every = 0;                 // rounds
    std::optional<std::int64_t> minibatch;  // this and the next: instead of those of [train]
    std::optional<std::int64_t> epochs;
    std::optional<std::int64_t> updates_per_batch;
    std::optional<double> updates_per_frame;
};

struct HookTable {
    ComponentTable component;  // paths "hooks.0", "hooks.1", ...
    std::optional<std::string> name;
};

// A key that the table's kind does not have has no value.
struct OptimiserTable {
    std::optional<std::string> kind;
    std::optional<double> lr;
    std::optional<double> weight_decay;
    std::optional<double> beta1;
    std::optional<double> beta2;
    std::optional<double> eps;
    std::optional<double> alpha;
    std::optional<double> momentum;
    std::optional<double> dampening;
    std::optional<bool> nesterov;
    std::optional<bool> centered;
    std::optional<double> clip_norm;  // only of stages
};

struct OptimiserStage {
    std::string name;
    OptimiserTable table;  // its own keys; every other key of its kind is that of [optimiser], including its schedule
};

struct TargetTable {
    std::string kind;
    std::optional<double> tau;  // soft: given
    std::optional<std::int64_t> every;
};

// Ends count from the start of the run.
struct SchedulePieceTable {
    std::string kind;
    std::optional<double> from;
    std::optional<double> to;
    std::optional<double> factor;
    std::optional<std::int64_t> every;
    std::optional<std::int64_t> frames;  // at most one of these three
    std::optional<std::int64_t> updates;
    std::optional<double> fraction;
};

struct ScheduleTable {
    std::string option;                      // the dotted path: "exploration.epsilon"
    std::vector<SchedulePieceTable> pieces;  // one after another
    bool list = false;                       // written as a list
    Place place;                             // of the path's last part
};

struct EvalEnvTable {
    ComponentTable component;  // its plugin is that of [env] if the table gives none
    std::optional<std::string> name;
    std::optional<std::int64_t> lanes;
    std::vector<TaskTable> tasks;
    bool own_wrappers = false;  // given, even as an empty list; otherwise those of [env]
    std::vector<ComponentTable> wrappers;
    bool own_transforms = false;  // as for wrappers
    std::vector<ComponentTable> transforms;
};

// These tables have either every_frames or every_updates, possibly by default: pace.hpp.
struct EvalTable {
    std::optional<std::int64_t> every_frames;
    std::optional<std::int64_t> every_updates;
    std::int64_t episodes = 0;
    std::optional<std::int64_t> max_steps;  // none: longest_evaluated (train/plan/evaluations.hpp)
    std::int64_t patience = 0;
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> lanes;
    std::string actions;  // a function of the policy
    std::optional<std::string> returns;
    bool background = false;
    bool video = false;
    std::vector<EvalEnvTable> envs;  // none: evaluations use the training env
};

struct LogTable {
    std::optional<std::int64_t> every_frames;
    std::optional<std::int64_t> every_updates;
    bool tensorboard = false;
    bool profile = false;
};

struct CheckpointTable {
    std::optional<std::int64_t> every_frames;
    std::optional<std::int64_t> every_updates;
    std::int64_t keep = 0;
    std::int64_t best = 0;
    bool buffer = false;
};

struct ValidateTable {
    std::vector<std::string> allow;  // warnings that are not printed
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
