// SPDX-License-Identifier: Apache-2.0
#include "engines/source_processes/workers_source.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <new>
#include <thread>
#include <utility>

#include "base/file/launch_site.hpp"
#include "base/file/sync.hpp"
#include "engines/source_processes/worker_manifest.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kPrefetchedSteps = 64;  // steps whose frames may wait for the trainer, at most
// Of a worker that a courier reaches later, as many more as fit into so many bytes.
constexpr std::size_t kPrefetchedBytes = std::size_t{16} << 20U;

}  // namespace

WorkersSource::WorkersSource(Plan plan, LaneSite site)
    : FrameSource(std::move(site)), plan_(std::move(plan)), learns_(!site_.lanes.commons().empty()) {
    const Storage& storage = *site_.storage;
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
    const std::size_t lanes = storage.lanes() / count;
    const std::size_t rewards = 1 + site_.of_groups.size();
    std::uint32_t prefetched = kPrefetchedSteps;
    if (!plan_.via.empty() || !plan_.listen.empty()) {
        std::size_t bytes = rewards * lanes * sizeof(double) + sizeof(WorkerNote);
        for (const StorageColumn& column : columns_) {
            bytes += 2 * row_bytes(column) * lanes;
        }
        prefetched = std::max(prefetched, static_cast<std::uint32_t>(kPrefetchedBytes / bytes));
    }
    sizes_ = {.areas = 2 * storage.columns().size(),
              .manifest = plan_.manifest.size(),
              .weights = 0,
              .live = plan_.live,
              .ring = 0,
              .rewards = rewards,
              .slots = (plan_.prefetches ? plan_.steps : std::min(plan_.steps, prefetched)) + kExtraSlots,
              .lanes = static_cast<std::uint32_t>(lanes),
              .share = {.first = 0, .all = storage.lanes()}};
    for (const Slab* const slab : plan_.weights) {
        sizes_.weights += slab->size();
    }
    workers_.resize(count);
    live_.resize(plan_.live);
    rewards_.resize(rewards * storage.lanes());
    lost_.resize(storage.lanes());
}

Result<WorkersSource::Plan> WorkersSource::plan_of(const Wiring& wiring, const Learner& learner) {
    std::vector<std::vector<std::string>> via = TENON_TRY(worker_commands(wiring.manifest));
    const Result<std::chrono::seconds> limit = waiting_limit_of_process();  // couriers say what is wrong with it
    Plan out{.manifest = TENON_TRY(worker_manifest(wiring)),
             .workers = worker_count(wiring.manifest),
             .live = wiring.live.values.size(),
             .steps = static_cast<std::uint32_t>(steps_of_round(wiring.manifest)),
             .prefetches = wiring.prefetches_batches(),
             .seed = wiring.seed(),
             .restarts = static_cast<std::uint32_t>(wiring.manifest.isolation.restarts),
             .limit = limit ? *limit : kUsualWait,
             .unwritten = wiring.offers_version() ? kPolicyVersion : std::string_view(),
             .via = std::move(via),
             .listen = wiring.manifest.collector->listen};
    for (const std::string& role : networks_of(wiring.act.graph)) {
        out.weights.push_back(&learner.find(role)->behaviour);
    }
    return out;
}

Result<std::unique_ptr<FrameSource>> WorkersSource::make(const Wiring& wiring, const Learner& learner, Lanes like,
                                                         Storage storage) {
    Plan plan = TENON_TRY(plan_of(wiring, learner));
    std::unique_ptr<WorkersSource> out(
        new WorkersSource(std::move(plan), LaneSite(std::move(like), std::move(storage))));
    out->sizes_.ring = TENON_TRY(Storage::bytes_in(out->columns_, out->sizes_.slots, out->sizes_.lanes));
    TENON_TRY(out->open_door());
    for (std::size_t i = 0; i < out->workers_.size(); ++i) {
        out->workers_[i].first = static_cast<std::uint32_t>(i) * out->sizes_.lanes;
        TENON_TRY(out->start(i));
    }
    return std::unique_ptr<FrameSource>(std::move(out));
}

WorkersSource::~WorkersSource() {
    constexpr auto kPatience = std::chrono::seconds(2);
    for (Worker& worker : workers_) {
        if (worker.process.id() != 0) {
            worker.desk().halt.store(1);
            give(worker, LaneOrder::kEnd);
        }
    }
    const auto have_ended = [this] {
        return std::ranges::all_of(workers_,
                                   [](Worker& each) { return each.memory.data() == nullptr || each.ended(); });
    };
    const auto await_ends = [&] {
        for (const auto end = std::chrono::steady_clock::now() + kPatience;
             !have_ended() && std::chrono::steady_clock::now() < end;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    };
    await_ends();
    if (!plan_.via.empty() && !have_ended()) {
        for (const Worker& worker : workers_) {
            if (worker.process.id() != 0) {
                ::kill(-worker.process.id(), SIGTERM);  // srun that waits for a node takes back what it has asked for
            }
        }
        await_ends();
    }
}

Status WorkersSource::start(std::size_t index) {
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
    fresh.patience = stop_patience(plan_.limit);
    if (door_ != nullptr) {
        const DoorGuest guest = TENON_TRY(await_guest(index));
        const FileDescriptor stream(guest.stream);
        fresh.connected = true;
        fresh.process = TENON_TRY(
            WorkerProcess::start(fresh.memory.descriptor(), {"guest", guest.name}, STDERR_FILENO, stream.get()));
    } else {
        fresh.process = TENON_TRY(WorkerProcess::start(fresh.memory.descriptor(), words, STDERR_FILENO));
    }
    workers_[index] = std::move(fresh);
    return {};
}

void WorkersSource::give(Worker& worker, LaneOrder order) {
    worker.desk().call = static_cast<std::uint32_t>(order);
    announce(worker.desk().order, ++worker.number);
}

void WorkersSource::order_begin(std::size_t index, const std::uint64_t* seeds) {
    teach(index);
    Worker& worker = workers_[index];
    std::copy_n(seeds + worker.first, sizes_.lanes, worker.parts.seeds);
    give(worker, LaneOrder::kBegin);
}

// Orders the steps from a worker that has already made `made` of them.
void WorkersSource::order_steps(std::size_t index, std::int64_t made) {
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
    desk.keeps = plan_.prefetches && is_untouched_ && made == 0 ? 1 : 0;
    desk.halt.store(0);
    give(worker, LaneOrder::kSteps);
}

Status WorkersSource::reset(const std::uint64_t* seeds) {
    drop_episodes(site_, nullptr);
    ordered_.steps = 0;
    rest_ = 0;
    site_.storage->begin_episodes(nullptr);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        order_begin(i, seeds);
    }
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        TENON_TRY(begin(i, seeds));
        copy_head(workers_[i]);
    }
    return {};
}

void WorkersSource::order(const Acting& first, std::int64_t steps) {
    if (ordered_.steps > 0 || rest_ > 0 || steps == 0) {
        return;
    }
    std::ranges::copy(first.numbers.live, live_.begin());
    ordered_ = {.steps = steps,
                .counter = static_cast<std::int64_t>(first.counter),
                .frames = static_cast<std::int64_t>(first.numbers.frames),
                .updates = static_cast<std::int64_t>(first.numbers.updates),
                .running = std::ranges::count(site_.storage->parked(), std::uint8_t{0})};
    is_untouched_ = true;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        order_steps(i);
    }
}

Result<std::uint32_t> WorkersSource::step(const Acting& now) {
    order(now, 1);
    is_untouched_ = false;
    if (ordered_.steps == 0) {
        ordered_.steps = std::exchange(rest_, 0);
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            order_steps(i);
        }
    }
    std::ranges::fill(lost_, std::uint8_t{0});
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        TENON_TRY(await_step(i));
    }
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        take(i);
    }
    Storage& storage = *site_.storage;
    storage.advance();
    drop_episodes(site_, lost_.data());
    const std::uint32_t slot = storage.slot_before(storage.head());
    for (std::size_t i = 0; i < sizes_.rewards; ++i) {
        Episodes& episodes = i == 0 ? site_.episodes : site_.of_groups[i - 1];
        episodes.record(storage, slot, std::span(rewards_).subspan(i * storage.lanes(), storage.lanes()));
    }
    const bool joins = steps_to_join() == 1;
    --ordered_.steps;
    ++ordered_.counter;
    ordered_.frames += ordered_.running;
    for (Worker& worker : workers_) {
        announce(worker.desk().taken, ++worker.taken);
        if (ordered_.steps == 0) {
            copy_head(worker);
        }
    }
    TENON_TRY(joins ? join() : Status());
    return static_cast<std::uint32_t>(std::ranges::count(storage.parked(), std::uint8_t{0}));
}

// The workers that have made fewer steps than others make as many.
std::int64_t WorkersSource::halt() {
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
            copy_head(workers_[i]);
        } else if (made[i] < ordered_.steps) {
            order_steps(i, made[i]);
        }
    }
    return ordered_.steps;
}

Problems WorkersSource::take_warnings() {
    Problems out = FrameSource::take_warnings();
    for (std::string& notice : door_ != nullptr ? door_->take_notices() : std::vector<std::string>()) {
        out.push_back(environment_problem(std::move(notice)));
    }
    std::ranges::move(std::exchange(warnings_, {}), std::back_inserter(out));
    return out;
}

}  // namespace tenon
