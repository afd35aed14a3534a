// SPDX-License-Identifier: Apache-2.0
// Which members of a table's struct are its keys, listed once for reading and for writing. A key has the name of its
// member.
#pragma once

#include <concepts>
#include <type_traits>

#include "config/manifest/manifest.hpp"

namespace tenon {

template <class T, class Wanted>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Wanted>;

// Calls f("key", table.key) for each key. A macro cannot call itself, but its name is expanded again each time that the
// text is scanned, and TENON_SCAN scans it 16 times and more; a table with more keys does not compile.
#define TENON_SCAN(...) TENON_SCAN_4(TENON_SCAN_4(TENON_SCAN_4(TENON_SCAN_4(__VA_ARGS__))))
#define TENON_SCAN_4(...) TENON_SCAN_1(TENON_SCAN_1(TENON_SCAN_1(TENON_SCAN_1(__VA_ARGS__))))
#define TENON_SCAN_1(...) __VA_ARGS__
#define TENON_PARENTHESES ()
#define TENON_NEXT_FIELD() TENON_FIELD
#define TENON_FIELD(key, ...) \
    f(#key, table.key);       \
    __VA_OPT__(TENON_NEXT_FIELD TENON_PARENTHESES(__VA_ARGS__))
#define TENON_FIELDS(...) TENON_SCAN(TENON_FIELD(__VA_ARGS__))
// All keys of a struct, in the order of a resolved manifest.
#define TENON_TABLE(Table, ...)             \
    template <MaybeConst<Table> T, class F> \
    void each_field(T& table, const F& f) { \
        TENON_FIELDS(__VA_ARGS__)           \
    }

TENON_TABLE(RunTable, name, seed, device, learn_on, jit, threads, dtype, executor, total_frames, stop_at_return,
            stop_at_episodes)
TENON_TABLE(PluginsTable, search, isolation)
TENON_TABLE(IsolationTable, workers, time_limit, restarts, memory, processor, network)
TENON_TABLE(EnvTable, lanes, task_column)
TENON_TABLE(TaskTable, name, lanes)
TENON_TABLE(PolicyTable, count, init, init_role, freeze, out, stage, weights)
TENON_TABLE(ReferenceTable, every)
TENON_TABLE(CollectorTable, kind, lag, max_lag, ready, workers, via, record)
TENON_TABLE(ParameterNoiseTable, sigma, target, factor, every_frames)
TENON_TABLE(ObjectiveTable, name, buffer, every, minibatch, epochs, updates_per_batch, updates_per_frame)
TENON_TABLE(HookTable, name)
TENON_TABLE(OptimiserTable, kind, lr, weight_decay, beta1, beta2, eps, alpha, momentum, dampening, nesterov, centered,
            clip_norm)
TENON_TABLE(TargetTable, kind, tau, every)
TENON_TABLE(SchedulePieceTable, kind, from, to, factor, every, frames, updates, fraction)
TENON_TABLE(EvalTable, every_frames, every_updates, episodes, max_steps, patience, seed, lanes, actions, returns,
            background, video)
TENON_TABLE(EvalEnvTable, name, lanes)
TENON_TABLE(LogTable, every_frames, every_updates, tensorboard, profile)
TENON_TABLE(ValidateTable, allow)
TENON_TABLE(CheckpointTable, every_frames, every_updates, keep, best, buffer)

template <MaybeConst<StandInTable> T, class F>
void each_field(T& table, const F& f) {
    f("of", table.of);
    f("for", table.objectives);
}

template <MaybeConst<TrainTable> T, class F>
void each_field(T& table, const F& f) {
    TENON_FIELDS(total_updates, episodes)
    const bool collects = !table.total_updates;
    if (collects && !table.episodes) {
        TENON_FIELDS(batch)
    }
    TENON_FIELDS(minibatch, accumulate, burn_in, initial_memory, epochs, shuffle, slice_length, prepare,
                 updates_per_batch, updates_per_frame)
    if (collects) {
        TENON_FIELDS(start_frames)
    }
    TENON_FIELDS(clip_norm, on_not_finite)
}

template <MaybeConst<BufferTable> T, class F>
void each_field(T& table, const F& f) {
    if (table.collects) {
        TENON_FIELDS(capacity)
    }
    if (table.storage != "memory") {
        TENON_FIELDS(storage)
        if (table.storage != "compressed") {
            TENON_FIELDS(path)
        }
    }
    if (table.writer != "ring") {
        TENON_FIELDS(writer)
        if (table.writer == "keep_best") {
            TENON_FIELDS(writer_by)
        }
    }
    TENON_FIELDS(prefetch)
    if (table.relabel_by != "columns") {
        TENON_FIELDS(relabel_by)
    }
    TENON_FIELDS(init)
    if (!table.init.empty()) {
        TENON_FIELDS(transform_init)
    }
    if (!table.name.empty()) {
        TENON_FIELDS(collects)
    }
}

#undef TENON_TABLE
#undef TENON_FIELDS
#undef TENON_FIELD
#undef TENON_NEXT_FIELD
#undef TENON_PARENTHESES
#undef TENON_SCAN_1
#undef TENON_SCAN_4
#undef TENON_SCAN

}  // namespace tenon
