// SPDX-License-Identifier: Apache-2.0
#include "train/initial_frames.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/store.hpp"
#include "train/snapshot.hpp"
#include "train/trainer.hpp"

namespace tenon {
namespace {

std::string of_column(const StorageColumn& column) {
    return std::string(name_of(column.dtype)) + " " + to_string(column.row);
}

// Why the storage cannot take the other's frames, with what to do; empty: it can.
std::string misfit(const Wiring& wiring, const Storage& other) {
    std::vector<std::string_view> known;
    std::string list;
    for (const StorageColumn& column : other.columns()) {
        known.emplace_back(column.key);
        list += (list.empty() ? "" : ", ") + column.key;
    }
    for (const StorageColumn& wanted : wiring.stored) {
        const StorageColumn* const there = other.find(wanted.key);
        if (there == nullptr) {
            return "have no column '" + wanted.key + "'" + did_you_mean(wanted.key, known) + "; they have " + list;
        }
        if (there->dtype != wanted.dtype || there->row != wanted.row || there->role != wanted.role) {
            return "have the column '" + wanted.key + "' as " + of_column(*there) + ", and here it is " +
                   of_column(wanted);
        }
    }
    if (other.lanes() != static_cast<std::uint32_t>(wiring.manifest.env.lanes)) {
        return "come from " + std::to_string(other.lanes()) + " lanes, and env.lanes is " +
               std::to_string(wiring.manifest.env.lanes) + "; make it " + std::to_string(other.lanes());
    }
    if (other.live_slots() > storage_slots(wiring)) {
        return "are more than buffer.capacity holds; make it " +
               std::to_string(std::uint64_t{other.live_slots() - 1} * other.lanes());
    }
    return other.view().total == 0 ? "are none: its buffer is empty" : "";
}

Result<Storage> read_frames(const Wiring& wiring) {
    const std::filesystem::path run = wiring.manifest.buffer->init;
    std::error_code code;
    if (!std::filesystem::is_directory(run, code)) {
        return input_problem("there is no run folder " + run.string() + " for the buffer to take its frames from");
    }
    const Result<Checkpoint> newest = find_checkpoint(run / "checkpoints", "last");
    if (!newest) {
        return newest.error();
    }
    Result<Storage> frames = saved_buffer(newest->folder);
    if (frames) {
        if (const std::string why = misfit(wiring, *frames); !why.empty()) {
            return input_problem("the frames in " + newest->folder.string() + " " + why);
        }
    }
    return frames;
}

}  // namespace

bool has_initial_frames(const Manifest& manifest) {
    return manifest.buffer && !manifest.buffer->init.empty();
}

Result<Storage> read_initial_frames(const Wiring& wiring) {
    Result<Storage> frames = read_frames(wiring);
    if (!frames) {
        frames.error().place = place_of(wiring.manifest, "buffer.init");
    }
    return frames;
}

}  // namespace tenon
