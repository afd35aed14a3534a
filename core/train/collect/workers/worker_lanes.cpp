// SPDX-License-Identifier: Apache-2.0
#include "train/collect/workers/worker_lanes.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <iterator>
#include <limits>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "base/data/state_bytes.hpp"
#include "base/data/state_stream.hpp"
#include "base/random/key.hpp"
#include "experience/env/seeds.hpp"

namespace tenon {
namespace {

constexpr double kGlance = 0.01;                // how soon the end of a process is detected
constexpr std::uint32_t kPrefetchedSteps = 64;  // steps whose frames may wait for the trainer, at most
constexpr std::uint32_t kExtraSlots =
    3;  // slots: of the newest observation, of the step before those, and one to write

// A text that the other process has written.
template <std::size_t N>
std::string text_of(const std::array<char, N>& text) {
    return {text.data(), ::strnlen(text.data(), N)};
}

}  // namespace

std::optional<std::string> WorkerLanes::Worker::ended() {
    if (how.empty()) {
        how = process.ended().value_or("");
        if (const std::string way = text_of(desk().sentence);
            !how.empty() && desk().fault.load() == 0 && !way.empty()) {
            how = way;
            unreachable = true;
        }
    }
    return how.empty() ? std::nullopt : std::optional(how);
}

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

// Where the rows of each column are, and those of final observations.
void WorkerLanes::list_areas(const Worker& worker) const {
    WorkerArea* area = worker.parts.areas;
    for (const StorageColumn& column : worker.ring->columns()) {
        for (const View& view : {column.view, column.final}) {
            if (view.data != nullptr) {
                area->offset = static_cast<std::uint64_t>(static_cast<std::byte*>(view.data) - worker.memory.data());
                area->bytes = row_bytes(column) * sizes_.lanes;
                ++area;
            }
        }
    }
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

std::string WorkerLanes::name(std::size_t worker) const {
    return "worker " + std::to_string(worker + 1) + " of " + std::to_string(workers_.size());
}

// Of a worker that says why it has ended.
Problem WorkerLanes::failure(std::size_t index) const {
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
std::optional<std::string> WorkerLanes::await_answer(std::size_t index) {
    Worker& worker = workers_[index];
    while (!await_reached(worker.desk().answered, worker.number, kGlance)) {
        if (std::optional<std::string> how = worker.ended()) {
            return how;
        }
    }
    return std::nullopt;
}

// The same where it cannot be started again.
Status WorkerLanes::await_idle(std::size_t index) {
    return idle(index, await_answer(index));
}

Status WorkerLanes::idle(std::size_t index, const std::optional<std::string>& how) const {
    if (!how) {
        return {};
    }
    if (workers_[index].desk().fault.load() != 0) {
        return failure(index);
    }
    return workers_[index].unreachable ? environment_problem(name(index) + " " + *how)
                                       : plugin_problem(name(index) + " " + *how + " before its lanes began to step");
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

// Steps until the transforms of all workers merge what they have seen: eight times while the number of steps doubles,
// and every 256 steps at least, so that the statistics are at most an eighth of the frames behind. From the second one
// on, a batch that is collected ahead is not interrupted.
std::int64_t WorkerLanes::steps_to_join() const {
    if (learning_ == nullptr) {
        return std::numeric_limits<std::int64_t>::max();
    }
    const auto made = static_cast<std::uint64_t>(ordered_.counter);
    const std::uint64_t apart =
        plan_.ahead && made >= plan_.steps ? plan_.steps : std::clamp<std::uint64_t>(std::bit_floor(made) / 8, 1, 256);
    return static_cast<std::int64_t>(apart - made % apart);
}

// A worker that has ended takes no part. It is noticed when its next step is waited for, and the one that takes its
// place is taught.
Status WorkerLanes::join() {
    std::vector<StateBytes> parts;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        StateBytes part;
        if (!await_answer(i) && !fetch(i, LaneOrder::kPart, part.data)) {
            parts.push_back(std::move(part));
        }
    }
    StateBytes all;
    const tn_writer writer = all.writer();
    StateSink sink(writer);
    sink.number<std::uint64_t>(parts.size());
    for (const StateBytes& part : parts) {
        sink.number<std::uint64_t>(part.data.size());
        sink.bytes(part.data.data(), part.data.size());
    }
    TENON_TRY(learning_->join(parts));
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        feed(i, all.data, LaneOrder::kJoin);
    }
    for (std::size_t i = 0; i < workers_.size() && ordered_.steps > 0; ++i) {
        order_steps(i);
    }
    return {};
}

void WorkerLanes::teach(std::size_t index) {
    if (learning_ == nullptr || std::exchange(workers_[index].is_taught, true)) {
        return;
    }
    StateBytes learnt;
    if (learning_->save_common(learnt.writer())) {
        feed(index, learnt.data, LaneOrder::kTeach);
    }
}

Status WorkerLanes::await_step(std::size_t index, Storage& storage, Episodes& episodes) {
    while (!await_reached(workers_[index].desk().stepped, workers_[index].taken + 1, kGlance)) {
        const std::optional<std::string> how = workers_[index].ended();
        if (!how || await_reached(workers_[index].desk().stepped, workers_[index].taken + 1, 0)) {
            continue;
        }
        TENON_TRY(go_on_without(index, *how, storage, episodes));
    }
    return {};
}

// The episodes of a worker that has ended end with the newest step that all have made, and another one takes what is
// left of the order.
Status WorkerLanes::go_on_without(std::size_t index, const std::string& how, Storage& storage, Episodes& episodes) {
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
    copy_head(workers_[index], storage);
    std::vector<std::uint8_t> mask(storage.lanes());
    std::fill_n(mask.begin() + first, sizes_.lanes, std::uint8_t{1});
    storage.begin_episodes(mask.data());
    episodes.drop(mask.data());
    TENON_TRY(start(index));
    const std::vector<std::uint64_t> seeds =
        lane_seeds(make_key(plan_.seed, "env/restarted"), storage.lanes(), restarted_);
    order_begin(index, seeds.data());
    if (Status idle = await_idle(index); !idle) {
        // The next machine of the list takes its place, as long as restarts are left.
        return workers_[index].unreachable ? go_on_without(index, std::string(workers_[index].how), storage, episodes)
                                           : idle;
    }
    copy_head(workers_[index], storage);
    if (ordered_.steps > 0) {
        order_steps(index);
    }
    return {};
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

// Lanes that were lost in a step begin episodes in it. The step before has become the last one of the one that they
// had; if there was none since the worker was started, it is the newest that the storage has.
void WorkerLanes::begin_lost(const Worker& worker, Storage& storage) {
    const std::uint8_t* const marks = worker.parts.marks + std::size_t{worker.slot()} * sizes_.lanes;
    std::vector<std::uint8_t> mask;
    for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
        if ((marks[lane] & kWorkerMarkLost) == 0) {
            continue;
        }
        lost_[worker.first + lane] = 1;
        if (worker.taken > 0) {
            copy_ends(worker, lane, storage, storage.slot_before(storage.head()),
                      worker.ring->slot_before(worker.slot()));
            continue;
        }
        mask.resize(storage.lanes());
        mask[worker.first + lane] = 1;
    }
    if (!mask.empty()) {
        storage.begin_episodes(mask.data());
    }
}

void WorkerLanes::take(std::size_t index, Storage& storage) {
    const Worker& worker = workers_[index];
    begin_lost(worker, storage);
    const std::uint32_t slot = worker.slot();
    const std::uint32_t head = storage.head();
    const std::uint8_t* const marks = worker.parts.marks + std::size_t{slot} * sizes_.lanes;
    std::copy_n(worker.parts.rewards + std::size_t{slot} * sizes_.lanes, sizes_.lanes, rewards_.begin() + worker.first);
    for (const Copied& copied : copied_) {
        std::memcpy(row_at(storage.columns()[copied.column].view, head, worker.first),
                    row_at(worker.ring->columns()[copied.column].view, slot, 0), copied.bytes * sizes_.lanes);
    }
    for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
        if (worker.ring->flags().ended(slot, lane)) {
            copy_ends(worker, lane, storage, head, slot);
        }
        if ((marks[lane] & kWorkerMarkParked) != 0 && storage.parked()[worker.first + lane] == 0) {
            storage.park(worker.first + lane);
        }
    }
    const WorkerNote& note = worker.parts.notes[slot];
    if (const std::size_t size = std::min<std::size_t>(note.size, note.text.size()); size > 0) {
        warnings_.push_back(plugin_problem(name(index) + ": " + std::string(note.text.data(), size)));
    }
}

// The newest observations. Only while the worker waits for an order or has ended.
void WorkerLanes::copy_head(const Worker& worker, Storage& storage) const {
    for (const Copied& copied : copied_) {
        if (!copied.is_flag) {
            std::memcpy(row_at(storage.columns()[copied.column].view, storage.head(), worker.first),
                        row_at(worker.ring->columns()[copied.column].view, worker.slot(), 0),
                        copied.bytes * sizes_.lanes);
        }
    }
}

void WorkerLanes::copy_ends(const Worker& worker, std::uint32_t lane, Storage& storage, std::uint32_t to,
                            std::uint32_t from) const {
    for (const Copied& copied : copied_) {
        const StorageColumn& source = worker.ring->columns()[copied.column];
        const StorageColumn& target = storage.columns()[copied.column];
        if (target.final.data != nullptr) {
            std::memcpy(row_at(target.final, to, worker.first + lane), row_at(source.final, from, lane), copied.bytes);
        }
        if (copied.is_flag && source.key != "is_init") {
            std::memcpy(row_at(target.view, to, worker.first + lane), row_at(source.view, from, lane), copied.bytes);
        }
    }
}

// What a worker needs of the storage to go on from a state.
void WorkerLanes::show_head(const Worker& worker, const Storage& storage) const {
    for (const Copied& copied : copied_) {
        std::memcpy(row_at(worker.ring->columns()[copied.column].view, worker.slot(), 0),
                    row_at(storage.columns()[copied.column].view, storage.head(), worker.first),
                    copied.bytes * sizes_.lanes);
    }
    for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
        worker.parts.marks[std::size_t{worker.slot()} * sizes_.lanes + lane] =
            storage.parked()[worker.first + lane] != 0 ? kWorkerMarkParked : 0;
    }
}

// Nothing, or how the worker has ended.
std::optional<std::string> WorkerLanes::fetch(std::size_t index, LaneOrder order, std::vector<std::byte>& to) {
    Worker& worker = workers_[index];
    WorkerDesk& desk = worker.desk();
    to.clear();
    give(worker, order);
    std::optional<std::string> ended = await_answer(index);
    for (bool more = true; more && !ended;) {
        desk.from = to.size();
        give(worker, LaneOrder::kFetch);
        ended = await_answer(index);
        const std::size_t size = std::min<std::size_t>(desk.box_size, kWorkerBox);
        to.insert(to.end(), worker.parts.box, worker.parts.box + size);
        more = size > 0 && to.size() < desk.total;
    }
    return ended;
}

// The same: gives the worker the bytes, and then this order.
std::optional<std::string> WorkerLanes::feed(std::size_t index, std::span<const std::byte> bytes, LaneOrder order) {
    Worker& worker = workers_[index];
    std::optional<std::string> ended;
    for (std::size_t at = 0; at < bytes.size() && !ended; at += kWorkerBox) {
        const std::span<const std::byte> part = bytes.subspan(at, std::min(kWorkerBox, bytes.size() - at));
        std::ranges::copy(part, worker.parts.box);
        worker.desk().box_size = part.size();
        give(worker, LaneOrder::kFeed);
        ended = await_answer(index);
    }
    if (!ended) {
        give(worker, order);
        ended = await_answer(index);
    }
    return ended;
}

Status WorkerLanes::save(ByteWriter& out, Storage& storage, Episodes& episodes) {
    out.begin("workers", 1);
    std::vector<std::byte> state;
    const std::int64_t ordered = ordered_.steps;
    const LaneOrder order = halt(storage) > 0 ? LaneOrder::kSaveKept : LaneOrder::kSave;
    rest_ += ordered - ordered_.steps;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const auto fetched = [&] {
            std::optional<std::string> how = await_answer(i);
            return how ? how : fetch(i, order, state);
        };
        while (const std::optional<std::string> how = fetched()) {
            TENON_TRY(go_on_without(i, *how, storage, episodes));
        }
        out.numbers(std::span(reinterpret_cast<const std::uint8_t*>(state.data()), state.size()));
    }
    out.end();
    return {};
}

Status WorkerLanes::load(ByteReader& in, const Storage& storage) {
    in.enter("workers", 1);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        const std::vector<std::uint8_t> state = in.numbers<std::uint8_t>();
        TENON_TRY(in.status());
        show_head(workers_[i], storage);
        workers_[i].is_taught = false;
        TENON_TRY(idle(i, feed(i, std::as_bytes(std::span(state)), LaneOrder::kLoad)));
    }
    in.leave();
    return in.status();
}

}  // namespace tenon
