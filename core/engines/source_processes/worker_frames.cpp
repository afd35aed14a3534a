// SPDX-License-Identifier: Apache-2.0
// Frames between the storage of the trainer and the rings of the workers.
#include <algorithm>
#include <cstring>

#include "engines/source_processes/workers_source.hpp"

namespace tenon {

// Where the rows of each column are, and those of final observations.
void WorkersSource::list_areas(const Worker& worker) const {
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

// Begins new episodes in the lanes that were lost in a step. Their previous episodes end with the step before it, or,
// in a worker's first step since its start, with the newest step of the storage.
void WorkersSource::begin_lost(const Worker& worker) {
    Storage& storage = *site_.storage;
    const std::uint8_t* const marks = worker.parts.marks + std::size_t{worker.slot()} * sizes_.lanes;
    std::vector<std::uint8_t> mask;
    for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
        if ((marks[lane] & kWorkerMarkLost) == 0) {
            continue;
        }
        lost_[worker.first + lane] = 1;
        if (worker.taken > 0) {
            copy_ends(worker, lane, storage.slot_before(storage.head()), worker.ring->slot_before(worker.slot()));
            continue;
        }
        mask.resize(storage.lanes());
        mask[worker.first + lane] = 1;
    }
    if (!mask.empty()) {
        storage.begin_episodes(mask.data());
    }
}

void WorkersSource::take(std::size_t index) {
    Storage& storage = *site_.storage;
    const Worker& worker = workers_[index];
    begin_lost(worker);
    const std::uint32_t slot = worker.slot();
    const std::uint32_t head = storage.head();
    const std::uint8_t* const marks = worker.parts.marks + std::size_t{slot} * sizes_.lanes;
    for (std::size_t i = 0; i < sizes_.rewards; ++i) {
        std::copy_n(worker.parts.rewards + (slot * sizes_.rewards + i) * sizes_.lanes, sizes_.lanes,
                    &rewards_[i * storage.lanes() + worker.first]);
    }
    for (const Copied& copied : copied_) {
        std::memcpy(row_at(storage.columns()[copied.column].view, head, worker.first),
                    row_at(worker.ring->columns()[copied.column].view, slot, 0), copied.bytes * sizes_.lanes);
    }
    for (std::uint32_t lane = 0; lane < sizes_.lanes; ++lane) {
        if (worker.ring->flags().ended(slot, lane)) {
            copy_ends(worker, lane, head, slot);
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
void WorkersSource::copy_head(const Worker& worker) const {
    const Storage& storage = *site_.storage;
    for (const Copied& copied : copied_) {
        if (!copied.is_flag) {
            std::memcpy(row_at(storage.columns()[copied.column].view, storage.head(), worker.first),
                        row_at(worker.ring->columns()[copied.column].view, worker.slot(), 0),
                        copied.bytes * sizes_.lanes);
        }
    }
}

void WorkersSource::copy_ends(const Worker& worker, std::uint32_t lane, std::uint32_t to, std::uint32_t from) const {
    for (const Copied& copied : copied_) {
        const StorageColumn& source = worker.ring->columns()[copied.column];
        const StorageColumn& target = site_.storage->columns()[copied.column];
        if (target.final.data != nullptr) {
            std::memcpy(row_at(target.final, to, worker.first + lane), row_at(source.final, from, lane), copied.bytes);
        }
        if (copied.is_flag && source.key != "is_init") {
            std::memcpy(row_at(target.view, to, worker.first + lane), row_at(source.view, from, lane), copied.bytes);
        }
    }
}

// What a worker needs of the storage to go on from a state.
void WorkersSource::show_head(const Worker& worker) const {
    const Storage& storage = *site_.storage;
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

}  // namespace tenon
