// SPDX-License-Identifier: Apache-2.0
// Answers of workers, and what happens when one has ended instead.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/log/log.hpp"
#include "base/random/key.hpp"
#include "engines/source_processes/courier.hpp"
#include "engines/source_processes/workers_source.hpp"
#include "experience/env/seeds.hpp"

namespace tenon {
namespace {

// A text that the other process has written.
template <std::size_t N>
std::string text_of(const std::array<char, N>& text) {
    return {text.data(), ::strnlen(text.data(), N)};
}

}  // namespace

std::optional<std::string> WorkersSource::Worker::ended() {
    if (how.empty()) {
        how = process.ended().value_or("");
        if (how.empty() && watch.is_stopped(process.id(), patience)) {
            process.kill();
            how = kStoppedWorker;
        }
        if (const std::string way = text_of(desk().sentence);
            !how.empty() && desk().fault.load() == 0 && !way.empty()) {
            how = way;
            unreachable = true;
        }
        // One of many that connect may be of no use, while the others are.
        if (connected && !how.empty() && desk().fault.load() != 0 && desk().answered.number.load() == 0) {
            how = "cannot collect: " + text_of(desk().sentence);
            desk().fault.store(0);
            unreachable = true;
        }
    }
    return how.empty() ? std::nullopt : std::optional(how);
}

std::string WorkersSource::name(std::size_t worker) const {
    return "worker " + std::to_string(worker + 1) + " of " + std::to_string(workers_.size());
}

// The problem of a worker that has written to its desk why it has ended.
Problem WorkersSource::failure(std::size_t index) const {
    const WorkerDesk& desk = workers_[index].desk();
    const std::int32_t fault = desk.fault.load();
    return {.fault = fault == static_cast<std::int32_t>(Fault::kInput)         ? Fault::kInput
                     : fault == static_cast<std::int32_t>(Fault::kEnvironment) ? Fault::kEnvironment
                                                                               : Fault::kPlugin,
            .sentence = text_of(desk.sentence) + " (in " + name(index) + ")",
            .place = {},
            .help = text_of(desk.help),
            .also = {}};
}

// Nothing if it has carried out its latest order; otherwise how it has ended.
std::optional<std::string> WorkersSource::await_answer(std::size_t index) {
    Worker& worker = workers_[index];
    while (!await_reached(worker.desk().answered, worker.number, kGlance)) {
        if (std::optional<std::string> how = worker.ended()) {
            return how;
        }
    }
    return std::nullopt;
}

// Waits for the answer of a worker that cannot be started again.
Status WorkersSource::await_idle(std::size_t index) {
    return idle(index, await_answer(index));
}

Status WorkersSource::idle(std::size_t index, const std::optional<std::string>& how) const {
    if (!how) {
        return {};
    }
    if (workers_[index].desk().fault.load() != 0) {
        return failure(index);
    }
    return workers_[index].unreachable ? environment_problem(name(index) + " " + *how)
                                       : plugin_problem(name(index) + " " + *how + " before its lanes began to step");
}

// Waits until the worker has begun its first episodes. One that has connected and is lost before is replaced.
Status WorkersSource::begin(std::size_t index, const std::uint64_t* seeds) {
    std::optional<std::string> how = await_answer(index);
    while (how && door_ != nullptr && workers_[index].desk().fault.load() == 0 && restarted_ < plan_.restarts) {
        ++restarted_;
        log(Level::kWarning, name(index) + " " + *how);
        TENON_TRY(start(index));
        order_begin(index, seeds);
        how = await_answer(index);
    }
    return idle(index, how);
}

Status WorkersSource::await_step(std::size_t index) {
    while (!await_reached(workers_[index].desk().stepped, workers_[index].taken + 1, kGlance)) {
        const std::optional<std::string> how = workers_[index].ended();
        if (!how || await_reached(workers_[index].desk().stepped, workers_[index].taken + 1, 0)) {
            continue;
        }
        TENON_TRY(go_on_without(index, *how));
    }
    return {};
}

// Replaces a worker that has ended. Its episodes end with the newest step that all workers have made, and the new
// worker makes the remaining steps of the order.
Status WorkersSource::go_on_without(std::size_t index, const std::string& how) {
    const std::uint32_t first = workers_[index].first;
    if (workers_[index].desk().fault.load() != 0) {
        return failure(index);
    }
    if (restarted_ == plan_.restarts) {
        return plugin_problem(name(index) + " " + how + ", after " + std::to_string(restarted_) +
                                  " restarts of workers, and isolation.restarts allows no more",
                              {}, "`tenon run --resume` continues from the last checkpoint");
    }
    ++restarted_;
    warnings_.push_back(plugin_problem(
        name(index) + " " + how + ": lanes " + std::to_string(first) + " to " +
        std::to_string(first + sizes_.lanes - 1) + " lost a step and begin new episodes in another process (restart " +
        std::to_string(restarted_) + " of at most " + std::to_string(plan_.restarts) + ")"));
    copy_head(workers_[index]);
    std::vector<std::uint8_t> mask(lane_count());
    std::fill_n(mask.begin() + first, sizes_.lanes, std::uint8_t{1});
    site_.storage->begin_episodes(mask.data());
    drop_episodes(site_, mask.data());
    TENON_TRY(start(index));
    const std::vector<std::uint64_t> seeds =
        lane_seeds(make_key(plan_.seed, "env/restarted"), lane_count(), restarted_);
    order_begin(index, seeds.data());
    if (Status idle = await_idle(index); !idle) {
        // The next machine of the list takes its place, as long as restarts are left.
        return workers_[index].unreachable ? go_on_without(index, std::string(workers_[index].how)) : idle;
    }
    copy_head(workers_[index]);
    if (ordered_.steps > 0) {
        order_steps(index);
    }
    return {};
}

}  // namespace tenon
