// SPDX-License-Identifier: Apache-2.0
#include "train/collect/workers/worker_lanes.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

namespace tenon {
namespace {

constexpr std::uint32_t kPrefetchedSteps = 64;  // steps whose frames may wait for the trainer, at most
constexpr std::uint32_t kExtraSlots =
    3;  // slots: of the newest observation, of the step before those, and one to write

}  // namespace

WorkerLanes::WorkerLanes(Plan plan, const Storage& storage) : plan_(std::move(plan)) {
    const std::uint32_t count = plan_.workers;
    for (std::size_t i = 0; i < storage.columns().size(); ++i) {
        const StorageColumn& column = storage.columns()[i];
        const bool is_flag = is_flag_column(column.key);
        if (!is_flag) {
            columns_.push_back(column);
        }
        if (column.key != plan_.unwritten) {
            copied_.push_back({.column = i, .bytes = row_bytes(column), .is_flag = is_flag});
        }
    }
    sizes_ = {.areas = 2 * storage.columns().size(),
              .manifest = plan_.manifest.size(),
              .weights = 0,
              .live = plan_.live,
              .ring = 0,
              .slots = (plan_.ahead ? plan_.steps : std::min(plan_.steps, kPrefetchedSteps)) + kExtraSlots,
              .lanes = storage.lanes() / count,
              .share = {.first = 0, .all = storage.lanes()}};
    for (const Slab* const slab : plan_.weights) {
        sizes_.weights += slab->size();
    }
    workers_.resize(count);
    live_.resize(plan_.live);
    rewards_.resize(storage.lanes());
    lost_.resize(storage.lanes());
}

Result<std::unique_ptr<WorkerLanes>> WorkerLanes::make(Plan plan, const Storage& storage) {
    std::unique_ptr<WorkerLanes> out(new WorkerLanes(std::move(plan), storage));
    const std::size_t bytes = TENON_TRY(Storage::bytes_in(out->columns_, out->sizes_.slots, out->sizes_.lanes));
    out->sizes_.ring = bytes;
    for (std::size_t i = 0; i < out->workers_.size(); ++i) {
        out->workers_[i].first = static_cast<std::uint32_t>(i) * out->sizes_.lanes;
        TENON_TRY(out->start(i));
    }
    return out;
}

WorkerLanes::~WorkerLanes() {
    constexpr auto kPatience = std::chrono::seconds(2);
    for (Worker& worker : workers_) {
        if (worker.process.id() != 0) {
            worker.desk().halt.store(1);
            give(worker, LaneOrder::kEnd);
        }
    }
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (Worker& worker : workers_) {
        while (!worker.ended() && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
}

Status WorkerLanes::start(std::size_t index) {
    Worker fresh;
    fresh.first = workers_[index].first;
    WorkerSizes sizes = sizes_;
    sizes.share.first = fresh.first;
    fresh.memory = TENON_TRY(SharedMemory::make(parts_behind(nullptr, sizes).bytes));
    fresh.parts = parts_behind(fresh.memory.data(), sizes);
    Storage ring = TENON_TRY(Storage::make_in(fresh.parts.ring, columns_, sizes.slots, sizes.lanes));
    fresh.ring = std::make_unique<Storage>(std::move(ring));
    new (fresh.memory.data()) WorkerDesk;
    fresh.desk().sizes = sizes;
    std::ranges::copy(plan_.manifest, fresh.parts.manifest);
    list_areas(fresh);
    std::vector<std::string> words = {"collect"};
    if (!plan_.via.empty()) {
        words = plan_.via[(index + workers_[index].starts) % plan_.via.size()];
        words.insert(words.begin(), "courier");
        fresh.starts = workers_[index].starts + 1;
    }
    fresh.process = TENON_TRY(WorkerProcess::start(fresh.memory.descriptor(), words, STDERR_FILENO));
    workers_[index] = std::move(fresh);
    return {};
}

void WorkerLanes::give(Worker& worker, LaneOrder order) {
    worker.desk().call = static_cast<std::uint32_t>(order);
    announce(worker.desk().order, ++worker.number);
}

void WorkerLanes::order_begin(std::size_t index, const std::uint64_t* seeds) {
    teach(index);
    Worker& worker = workers_[index];
    std::copy_n(seeds + worker.first, sizes_.lanes, worker.parts.seeds);
    give(worker, LaneOrder::kBegin);
}

// Of a worker that has made so many of the ordered steps already.
void WorkerLanes::order_steps(std::size_t index, std::int64_t made) {
    teach(index);
    Worker& worker = workers_[index];
    WorkerDesk& desk = worker.desk();
    std::byte* to = worker.parts.weights;
    for (const Slab* const slab : plan_.weights) {
        std::memcpy(to, slab->data(), slab->size());
        to += slab->size();
    }
    std::ranges::copy(live_, worker.parts.live);
    desk.steps = std::min(ordered_.steps, steps_to_join()) - made;
    desk.counter = ordered_.counter + made;
    desk.frames = ordered_.frames + made * ordered_.running;
    desk.updates = ordered_.updates;
    desk.running = ordered_.running;
    desk.keeps = plan_.ahead && is_untouched_ && made == 0 ? 1 : 0;
    desk.halt.store(0);
    give(worker, LaneOrder::kSteps);
}

Status WorkerLanes::begin(Storage& storage, const std::uint64_t* seeds) {
    ordered_.steps = 0;
    rest_ = 0;
    storage.begin_episodes(nullptr);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        order_begin(i, seeds);
    }
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        TENON_TRY(await_idle(i));
        copy_head(workers_[i], storage);
    }
    return {};
}

void WorkerLanes::order(const Storage& storage, const RunNumbers& numbers, std::uint64_t counter, std::int64_t steps) {
    if (ordered_.steps > 0 || rest_ > 0 || steps == 0) {
        return;
    }
    std::ranges::copy(numbers.live, live_.begin());
    ordered_ = {.steps = steps,
                .counter = static_cast<std::int64_t>(counter),
                .frames = static_cast<std::int64_t>(numbers.frames),
                .updates = static_cast<std::int64_t>(numbers.updates),
                .running = std::ranges::count(storage.parked(), std::uint8_t{0})};
    is_untouched_ = true;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        order_steps(i);
    }
}

Status WorkerLanes::step(Storage& storage, const RunNumbers& numbers, std::uint64_t counter, Episodes& episodes) {
    order(storage, numbers, counter, 1);
    is_untouched_ = false;
    if (ordered_.steps == 0) {
        ordered_.steps = std::exchange(rest_, 0);
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            order_steps(i);
        }
    }
    std::ranges::fill(lost_, std::uint8_t{0});
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        TENON_TRY(await_step(i, storage, episodes));
    }
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        take(i, storage);
    }
    storage.advance();
    episodes.drop(lost_.data());
    episodes.record(storage, storage.slot_before(storage.head()), rewards_);
    const bool joins = steps_to_join() == 1;
    --ordered_.steps;
    ++ordered_.counter;
    ordered_.frames += ordered_.running;
    for (Worker& worker : workers_) {
        announce(worker.desk().taken, ++worker.taken);
        if (ordered_.steps == 0) {
            copy_head(worker, storage);
        }
    }
    return joins ? join() : Status();
}

// The workers that have made fewer steps than others make as many.
std::int64_t WorkerLanes::halt(Storage& storage) {
    if (ordered_.steps == 0) {
        return 0;
    }
    for (Worker& worker : workers_) {
        worker.desk().halt.store(1);
    }
    std::vector<std::int64_t> made;
    for (Worker& worker : workers_) {
        while (!await_reached(worker.desk().answered, worker.number, kGlance) && !worker.ended()) {
        }
        made.push_back(worker.desk().stepped.number.load() - worker.taken);
    }
    ordered_.steps = std::min(ordered_.steps, std::ranges::max(made));
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (ordered_.steps == 0) {
            copy_head(workers_[i], storage);
        } else if (made[i] < ordered_.steps) {
            order_steps(i, made[i]);
        }
    }
    return ordered_.steps;
}

}  // namespace tenon
