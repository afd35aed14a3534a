// SPDX-License-Identifier: Apache-2.0
// Which key of a table is which member of its struct, defined once for reading and for writing.
#pragma once

#include <concepts>
#include <type_traits>

#include "config/manifest/manifest.hpp"

namespace tenon {

template <class T, class Wanted>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Wanted>;

// TENON_FIELDS(Table, member, ...): each key of the table has the name of its member. A macro cannot call itself, so
// TENON_FIELD leaves its next call unfinished, and TENON_SCAN reads the text again until all of them are done.
#define TENON_FIELDS(Table, ...)             \
    template <MaybeConst<Table> T, class F>  \
    void each_field(T& table, F&& f) {       \
        TENON_SCAN(TENON_FIELD(__VA_ARGS__)) \
    }
#define TENON_FIELD(member, ...) \
    f(#member, table.member);    \
    __VA_OPT__(TENON_NEXT_FIELD TENON_CALL(__VA_ARGS__))
#define TENON_NEXT_FIELD() TENON_FIELD
#define TENON_CALL ()
#define TENON_SCAN(...) TENON_SCAN4(TENON_SCAN4(TENON_SCAN4(TENON_SCAN4(__VA_ARGS__))))
#define TENON_SCAN4(...) TENON_SCAN1(TENON_SCAN1(TENON_SCAN1(TENON_SCAN1(__VA_ARGS__))))
#define TENON_SCAN1(...) __VA_ARGS__

TENON_FIELDS(RunTable, name, seed, device, learn_on, jit, threads, dtype, executor, total_frames, stop_at_return,
             stop_at_episodes, shards)
TENON_FIELDS(PluginsTable, search, isolation)
TENON_FIELDS(IsolationTable, workers, time_limit, restarts, memory, processor, network)
TENON_FIELDS(EnvTable, lanes, task_column)
TENON_FIELDS(TaskTable, name, lanes)
TENON_FIELDS(PolicyTable, count, init, init_role, freeze, out, stage, weights)
TENON_FIELDS(ReferenceTable, every)
TENON_FIELDS(CollectorTable, kind, lag, max_lag, ready, workers, via, record)
TENON_FIELDS(ParameterNoiseTable, sigma, target, factor, every_frames)

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

TENON_FIELDS(ObjectiveTable, name, buffer, every, minibatch, epochs, updates_per_batch, updates_per_frame)
TENON_FIELDS(HookTable, name)

template <MaybeConst<StandInTable> T, class F>
void each_field(T& table, F&& f) {
    f("of", table.of);
    f("for", table.objectives);
}

TENON_FIELDS(OptimiserTable, kind, lr, weight_decay, beta1, beta2, eps, alpha, momentum, dampening, nesterov, centered,
             clip_norm)
TENON_FIELDS(TargetTable, kind, tau, every)
TENON_FIELDS(SchedulePieceTable, kind, from, to, factor, every, frames, updates, fraction)
TENON_FIELDS(EvalTable, every_frames, every_updates, episodes, max_steps, patience, seed, lanes, actions, returns,
             background, video)
TENON_FIELDS(EvalEnvTable, name, lanes)
TENON_FIELDS(LogTable, every_frames, every_updates, tensorboard, profile)
TENON_FIELDS(ValidateTable, allow)
TENON_FIELDS(CheckpointTable, every_frames, every_updates, keep, best, buffer)

#undef TENON_FIELDS
#undef TENON_FIELD
#undef TENON_NEXT_FIELD
#undef TENON_CALL
#undef TENON_SCAN
#undef TENON_SCAN4
#undef TENON_SCAN1

}  // namespace tenon
