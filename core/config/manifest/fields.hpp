// SPDX-License-Identifier: Apache-2.0
// Which key of a table is which member of its struct, defined once for reading and for writing.
#pragma once

#include <concepts>
#include <type_traits>

#include "config/manifest/manifest.hpp"

namespace tenon {

template <class T, class Wanted>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Wanted>;

template <MaybeConst<RunTable> T, class F>
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

template <MaybeConst<PluginsTable> T, class F>
void each_field(T& table, F&& f) {
    f("search", table.search);
    f("isolation", table.isolation);
}

template <MaybeConst<IsolationTable> T, class F>
void each_field(T& table, F&& f) {
    f("workers", table.workers);
    f("time_limit", table.time_limit);
    f("restarts", table.restarts);
    f("memory", table.memory);
    f("processor", table.processor);
    f("network", table.network);
}

template <MaybeConst<EnvTable> T, class F>
void each_field(T& table, F&& f) {
    f("lanes", table.lanes);
    f("task_column", table.task_column);
}

template <MaybeConst<TaskTable> T, class F>
void each_field(T& table, F&& f) {
    f("name", table.name);
    f("lanes", table.lanes);
}

template <MaybeConst<PolicyTable> T, class F>
void each_field(T& table, F&& f) {
    f("count", table.count);
    f("init", table.init);
    f("init_role", table.init_role);
    f("freeze", table.freeze);
    f("out", table.out);
    f("stage", table.stage);
    f("weights", table.weights);
}

template <MaybeConst<ReferenceTable> T, class F>
void each_field(T& table, F&& f) {
    f("every", table.every);
}

template <MaybeConst<CollectorTable> T, class F>
void each_field(T& table, F&& f) {
    f("kind", table.kind);
    f("lag", table.lag);
    f("max_lag", table.max_lag);
    f("ready", table.ready);
    f("workers", table.workers);
    f("via", table.via);
    f("record", table.record);
}

template <MaybeConst<ParameterNoiseTable> T, class F>
void each_field(T& table, F&& f) {
    f("sigma", table.sigma);
    f("target", table.target);
    f("factor", table.factor);
    f("every_frames", table.every_frames);
}

template <MaybeConst<TrainTable> T, class F>
void each_field(T& table, F&& f) {
    f("total_updates", table.total_updates);
    f("episodes", table.episodes);
    const bool collects = !table.total_updates;
    if (collects && !table.episodes) {
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
    if (collects) {
        f("start_frames", table.start_frames);
    }
    f("clip_norm", table.clip_norm);
    f("on_not_finite", table.on_not_finite);
}

template <MaybeConst<BufferTable> T, class F>
void each_field(T& table, F&& f) {
    if (table.collects) {
        f("capacity", table.capacity);
    }
    if (table.storage != "memory") {
        f("storage", table.storage);
        if (table.storage != "compressed") {
            f("path", table.path);
        }
    }
    if (table.writer != "ring") {
        f("writer", table.writer);
        if (table.writer == "keep_best") {
            f("writer_by", table.writer_by);
        }
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

template <MaybeConst<ObjectiveTable> T, class F>
void each_field(T& table, F&& f) {
    f("name", table.name);
    f("buffer", table.buffer);
    f("every", table.every);
    f("minibatch", table.minibatch);
    f("epochs", table.epochs);
    f("updates_per_batch", table.updates_per_batch);
    f("updates_per_frame", table.updates_per_frame);
}

template <MaybeConst<HookTable> T, class F>
void each_field(T& table, F&& f) {
    f("name", table.name);
}

template <MaybeConst<StandInTable> T, class F>
void each_field(T& table, F&& f) {
    f("of", table.of);
    f("for", table.objectives);
}

template <MaybeConst<OptimiserTable> T, class F>
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

template <MaybeConst<TargetTable> T, class F>
void each_field(T& table, F&& f) {
    f("kind", table.kind);
    f("tau", table.tau);
    f("every", table.every);
}

template <MaybeConst<SchedulePieceTable> T, class F>
void each_field(T& piece, F&& f) {
    f("kind", piece.kind);
    f("from", piece.from);
    f("to", piece.to);
    f("factor", piece.factor);
    f("every", piece.every);
    f("frames", piece.frames);
    f("updates", piece.updates);
    f("fraction", piece.fraction);
}

template <MaybeConst<EvalTable> T, class F>
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

template <MaybeConst<EvalEnvTable> T, class F>
void each_field(T& table, F&& f) {
    f("name", table.name);
    f("lanes", table.lanes);
}

template <MaybeConst<LogTable> T, class F>
void each_field(T& table, F&& f) {
    f("every_frames", table.every_frames);
    f("every_updates", table.every_updates);
    f("tensorboard", table.tensorboard);
    f("profile", table.profile);
}

template <MaybeConst<ValidateTable> T, class F>
void each_field(T& table, F&& f) {
    f("allow", table.allow);
}

template <MaybeConst<CheckpointTable> T, class F>
void each_field(T& table, F&& f) {
    f("every_frames", table.every_frames);
    f("every_updates", table.every_updates);
    f("keep", table.keep);
    f("best", table.best);
    f("buffer", table.buffer);
}

}  // namespace tenon
