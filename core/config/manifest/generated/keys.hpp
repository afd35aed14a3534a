// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate/manifest_keys.py from core/config/manifest/keys.toml; do not edit.
// The keys of each table. each_field(table, f) calls f(key, member) for all of them.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "config/manifest/capacity.hpp"

namespace tenon {

// [run]
struct RunKeys {
    std::string name;
    std::int64_t seed = 0;
    std::string device;
    std::string learn_on;
    std::string jit;
    std::int64_t threads = 0;
    std::string dtype;
    std::string executor;
    std::optional<std::int64_t> total_frames;
    std::optional<double> stop_at_return;
    std::optional<std::int64_t> stop_at_episodes;
    std::optional<std::int64_t> shards;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, RunKeys>
void each_field(T& table, F&& f) {
    f("name", table.name);
    f("seed", table.seed);
    f("device", table.device);
    f("learn_on", table.learn_on);
    f("jit", table.jit);
    f("threads", table.threads);
    f("dtype", table.dtype);
    f("executor", table.executor);
    f("total_frames", table.total_frames);
    f("stop_at_return", table.stop_at_return);
    f("stop_at_episodes", table.stop_at_episodes);
    f("shards", table.shards);
}

// [plugins]
struct PluginsKeys {
    std::vector<std::string> search;
    std::string isolation;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, PluginsKeys>
void each_field(T& table, F&& f) {
    f("search", table.search);
    f("isolation", table.isolation);
}

// [isolation]
struct IsolationTable {
    std::int64_t workers = 0;
    double time_limit = 0;
    std::int64_t restarts = 0;
    std::int64_t memory = 0;
    std::int64_t processor = 0;
    bool network = false;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, IsolationTable>
void each_field(T& table, F&& f) {
    f("workers", table.workers);
    f("time_limit", table.time_limit);
    f("restarts", table.restarts);
    f("memory", table.memory);
    f("processor", table.processor);
    f("network", table.network);
}

// [env]
struct EnvKeys {
    std::int64_t lanes = 0;
    std::optional<std::string> task_column;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, EnvKeys>
void each_field(T& table, F&& f) {
    f("lanes", table.lanes);
    f("task_column", table.task_column);
}

// [[env.tasks]]
struct TaskKeys {
    std::optional<std::string> name;
    std::optional<std::int64_t> lanes;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, TaskKeys>
void each_field(T& table, F&& f) {
    f("name", table.name);
    f("lanes", table.lanes);
}

// [policy.NAME]
struct PolicyKeys {
    std::int64_t count = 0;
    std::string init;
    std::string init_role;
    bool freeze = false;
    std::vector<std::string> out;
    std::string stage;
    std::string weights;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, PolicyKeys>
void each_field(T& table, F&& f) {
    f("count", table.count);
    f("init", table.init);
    f("init_role", table.init_role);
    f("freeze", table.freeze);
    f("out", table.out);
    f("stage", table.stage);
    f("weights", table.weights);
}

// [policy.NAME.reference]
struct ReferenceTable {
    std::int64_t every = 0;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, ReferenceTable>
void each_field(T& table, F&& f) {
    f("every", table.every);
}

// [parameter_noise]
struct ParameterNoiseTable {
    double sigma = 0;
    double target = 0;
    double factor = 0;
    std::int64_t every_frames = 0;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, ParameterNoiseTable>
void each_field(T& table, F&& f) {
    f("sigma", table.sigma);
    f("target", table.target);
    f("factor", table.factor);
    f("every_frames", table.every_frames);
}

// [collector]
struct CollectorTable {
    std::string kind;
    std::int64_t lag = 0;
    std::optional<std::int64_t> max_lag;
    std::optional<std::int64_t> ready;
    std::optional<std::int64_t> workers;
    std::vector<std::string> via;
    std::string listen;
    std::optional<std::string> record;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, CollectorTable>
void each_field(T& table, F&& f) {
    f("kind", table.kind);
    f("lag", table.lag);
    f("max_lag", table.max_lag);
    f("ready", table.ready);
    f("workers", table.workers);
    f("via", table.via);
    f("listen", table.listen);
    f("record", table.record);
}

// [train]
struct TrainTable {
    std::optional<std::int64_t> total_updates;
    std::int64_t batch = 0;
    std::optional<std::int64_t> episodes;
    std::int64_t minibatch = 0;
    std::int64_t accumulate = 0;
    std::int64_t burn_in = 0;
    std::optional<std::string> initial_memory;
    std::optional<std::int64_t> epochs;
    std::optional<std::string> shuffle;
    std::optional<std::int64_t> slice_length;
    std::optional<std::string> prepare;
    std::optional<std::int64_t> updates_per_batch;
    std::optional<double> updates_per_frame;
    std::int64_t start_frames = 0;
    std::optional<double> clip_norm;
    std::string on_not_finite;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, TrainTable>
void each_field(T& table, F&& f) {
    f("total_updates", table.total_updates);
    f("episodes", table.episodes);
    if (!table.total_updates && !table.episodes) {
        f("batch", table.batch);
    }
    f("minibatch", table.minibatch);
    f("accumulate", table.accumulate);
    f("burn_in", table.burn_in);
    f("initial_memory", table.initial_memory);
    f("epochs", table.epochs);
    f("shuffle", table.shuffle);
    f("slice_length", table.slice_length);
    f("prepare", table.prepare);
    f("updates_per_batch", table.updates_per_batch);
    f("updates_per_frame", table.updates_per_frame);
    if (!table.total_updates) {
        f("start_frames", table.start_frames);
    }
    f("clip_norm", table.clip_norm);
    f("on_not_finite", table.on_not_finite);
}

// [buffer] or [buffer.NAME]
struct BufferKeys {
    Capacity capacity;
    std::string storage;
    std::string path;
    std::string writer;
    std::string writer_by;
    std::optional<bool> prefetch;
    std::string relabel_by;
    std::string init;
    bool transform_init = false;
    bool collects = false;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, BufferKeys>
void each_field(T& table, F&& f) {
    if (table.collects) {
        f("capacity", table.capacity);
    }
    if (table.storage != "memory") {
        f("storage", table.storage);
    }
    if (table.storage == "mmap" || (table.storage == "memory" && !std::is_const_v<T>)) {
        f("path", table.path);
    }
    if (table.writer != "ring") {
        f("writer", table.writer);
    }
    if (table.writer == "keep_best") {
        f("writer_by", table.writer_by);
    }
    f("prefetch", table.prefetch);
    if (table.relabel_by != "columns") {
        f("relabel_by", table.relabel_by);
    }
    f("init", table.init);
    if (!table.init.empty()) {
        f("transform_init", table.transform_init);
    }
    if (!table.name.empty()) {
        f("collects", table.collects);
    }
}

// [columns]
struct StandInKeys {
    std::string of;
    std::vector<std::string> objectives;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, StandInKeys>
void each_field(T& table, F&& f) {
    f("of", table.of);
    f("for", table.objectives);
}

// [objective] or [[objective]]
struct ObjectiveKeys {
    std::optional<std::string> name;
    std::optional<std::string> buffer;
    std::int64_t every = 0;
    std::optional<std::int64_t> minibatch;
    std::optional<std::int64_t> epochs;
    std::optional<std::int64_t> updates_per_batch;
    std::optional<double> updates_per_frame;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, ObjectiveKeys>
void each_field(T& table, F&& f) {
    f("name", table.name);
    f("buffer", table.buffer);
    f("every", table.every);
    f("minibatch", table.minibatch);
    f("epochs", table.epochs);
    f("updates_per_batch", table.updates_per_batch);
    f("updates_per_frame", table.updates_per_frame);
}

// [optimiser.STAGE]
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
    std::optional<double> clip_norm;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, OptimiserTable>
void each_field(T& table, F&& f) {
    f("kind", table.kind);
    f("lr", table.lr);
    f("weight_decay", table.weight_decay);
    f("beta1", table.beta1);
    f("beta2", table.beta2);
    f("eps", table.eps);
    f("alpha", table.alpha);
    f("momentum", table.momentum);
    f("dampening", table.dampening);
    f("nesterov", table.nesterov);
    f("centered", table.centered);
    f("clip_norm", table.clip_norm);
}

// [target]
struct TargetTable {
    std::string kind;
    std::optional<double> tau;
    std::optional<std::int64_t> every;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, TargetTable>
void each_field(T& table, F&& f) {
    f("kind", table.kind);
    f("tau", table.tau);
    f("every", table.every);
}

// [[hooks]]
struct HookKeys {
    std::optional<std::string> name;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, HookKeys>
void each_field(T& table, F&& f) {
    f("name", table.name);
}

// [schedule]
struct SchedulePieceTable {
    std::string kind;
    std::optional<double> from;
    std::optional<double> to;
    std::optional<double> factor;
    std::optional<std::int64_t> every;
    std::optional<std::int64_t> frames;
    std::optional<std::int64_t> updates;
    std::optional<double> fraction;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, SchedulePieceTable>
void each_field(T& table, F&& f) {
    f("kind", table.kind);
    f("from", table.from);
    f("to", table.to);
    f("factor", table.factor);
    f("every", table.every);
    f("frames", table.frames);
    f("updates", table.updates);
    f("fraction", table.fraction);
}

// [eval]
struct EvalKeys {
    std::optional<std::int64_t> every_frames;
    std::optional<std::int64_t> every_updates;
    std::int64_t episodes = 0;
    std::optional<std::int64_t> max_steps;
    std::int64_t patience = 0;
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> lanes;
    std::string actions;
    std::optional<std::string> returns;
    bool background = false;
    bool video = false;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, EvalKeys>
void each_field(T& table, F&& f) {
    f("every_frames", table.every_frames);
    f("every_updates", table.every_updates);
    f("episodes", table.episodes);
    f("max_steps", table.max_steps);
    f("patience", table.patience);
    f("seed", table.seed);
    f("lanes", table.lanes);
    f("actions", table.actions);
    f("returns", table.returns);
    f("background", table.background);
    f("video", table.video);
}

// [eval.env] or [[eval.env]]
struct EvalEnvKeys {
    std::optional<std::string> name;
    std::optional<std::int64_t> lanes;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, EvalEnvKeys>
void each_field(T& table, F&& f) {
    f("name", table.name);
    f("lanes", table.lanes);
}

// [log]
struct LogTable {
    std::optional<std::int64_t> every_frames;
    std::optional<std::int64_t> every_updates;
    bool tensorboard = false;
    bool profile = false;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, LogTable>
void each_field(T& table, F&& f) {
    f("every_frames", table.every_frames);
    f("every_updates", table.every_updates);
    f("tensorboard", table.tensorboard);
    f("profile", table.profile);
}

// [checkpoint]
struct CheckpointTable {
    std::optional<std::int64_t> every_frames;
    std::optional<std::int64_t> every_updates;
    std::optional<double> every_seconds;
    std::int64_t keep = 0;
    std::int64_t best = 0;
    bool buffer = false;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, CheckpointTable>
void each_field(T& table, F&& f) {
    f("every_frames", table.every_frames);
    f("every_updates", table.every_updates);
    f("every_seconds", table.every_seconds);
    f("keep", table.keep);
    f("best", table.best);
    f("buffer", table.buffer);
}

// [cluster]
struct ClusterTable {
    bool exact = false;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, ClusterTable>
void each_field(T& table, F&& f) {
    f("exact", table.exact);
}

// [validate]
struct ValidateTable {
    std::vector<std::string> allow;
};

template <class T, class F>
    requires std::derived_from<std::remove_const_t<T>, ValidateTable>
void each_field(T& table, F&& f) {
    f("allow", table.allow);
}

}  // namespace tenon
