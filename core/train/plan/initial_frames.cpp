// SPDX-License-Identifier: Apache-2.0
#include "train/plan/initial_frames.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "train/checkpoint/frames_file.hpp"
#include "train/checkpoint/store.hpp"
#include "train/plan/storage_size.hpp"

namespace tenon {
namespace {

std::string of_column(const StorageColumn& column) {
    return std::string(name_of(column.dtype)) + " " + to_string(column.row);
}

// Networks and objectives rely on the same number of actions within the same bounds.
std::string other_spec(const Wiring& wiring, const SavedFrames& frames, const StorageColumn& column) {
    const Spec* const spec = wiring.env_specs.find(column.key);
    const auto told = frames.about.find("spec." + column.key);
    const bool matters = column.role == Role::kAction || column.role == Role::kObservation;
    if (!matters || spec == nullptr || told == frames.about.end() || told->second == to_string(*spec)) {
        return {};
    }
    return "have " + told->second + ", but this run has " + to_string(*spec) + "; they come from another env";
}

// Why the storage cannot take the frames, and what to do; empty if it can.
std::string misfit(const Wiring& wiring, const BufferPlan& buffer, const SavedFrames& frames) {
    const Storage& other = frames.storage;
    std::vector<std::string_view> known;
    for (const StorageColumn& column : other.columns()) {
        known.emplace_back(column.key);
    }
    const std::string list = listed(known);
    for (const StorageColumn& wanted : buffer.stored) {
        const StorageColumn* const there = other.find(wanted.key);
        const auto computes = [&](const ObjectivePlan& plan) { return plan.writes(wanted.key); };
        if (std::ranges::any_of(wiring.objectives, computes)) {
            continue;  // anew, from these frames
        }
        if (there == nullptr) {
            return "have no column '" + wanted.key + "'" + did_you_mean(wanted.key, known) + "; they have " + list;
        }
        if (there->dtype != wanted.dtype || there->row != wanted.row || there->role != wanted.role) {
            return "have the column '" + wanted.key + "' as " + of_column(*there) + ", but this run has " +
                   of_column(wanted);
        }
        if (std::string why = other_spec(wiring, frames, wanted); !why.empty()) {
            return why;
        }
    }
    if (!buffer.collects()) {
        return other.view().total == 0 ? "are missing: its buffer is empty" : "";
    }
    if (other.lanes() != static_cast<std::uint32_t>(wiring.manifest.env.lanes)) {
        return "come from " + std::to_string(other.lanes()) + " lanes, but env.lanes is " +
               std::to_string(wiring.manifest.env.lanes) + "; make it " + std::to_string(other.lanes());
    }
    if (other.live_slots() > storage_slots(wiring)) {
        return "are more than " + buffer.table->component.path + ".capacity holds; make it " +
               std::to_string(std::uint64_t{other.live_slots() - 1} * other.lanes());
    }
    return other.view().total == 0 ? "are missing: its buffer is empty" : "";
}

// The file of frames: the named file, a checkpoint's, or that of a run's newest checkpoint.
Result<std::filesystem::path> file_of_frames(const std::filesystem::path& named) {
    std::error_code code;
    if (!std::filesystem::exists(named, code)) {
        return input_problem("there is no run folder and no file " + named.string() + " with frames for the buffer", {},
                             "relative paths begin at the manifest's folder, and after --set at the working directory");
    }
    if (!std::filesystem::is_directory(named, code)) {
        return named;
    }
    std::filesystem::path checkpoint = named;
    if (!std::filesystem::exists(buffer_of(named), code)) {
        const Result<Checkpoint> newest = find_checkpoint(named / "checkpoints", "last");
        if (!newest) {
            return newest.error();
        }
        checkpoint = newest->folder;
    }
    if (!std::filesystem::exists(buffer_of(checkpoint), code)) {
        return input_problem("the checkpoint " + checkpoint.string() +
                             " has no frames: its run had checkpoint.buffer = false");
    }
    return buffer_of(checkpoint);
}

Result<Storage> read(const Wiring& wiring, const BufferPlan& buffer) {
    const Result<std::filesystem::path> file = file_of_frames(buffer.table->init);
    if (!file) {
        return file.error();
    }
    Result<SavedFrames> frames = read_frames(*file);
    if (!frames) {
        return std::move(frames).error();
    }
    if (const std::string why = misfit(wiring, buffer, *frames); !why.empty()) {
        return input_problem("the frames in " + file->string() + " " + why);
    }
    return std::move(frames->storage);
}

}  // namespace

Result<Storage> read_initial_frames(const Wiring& wiring, const BufferPlan& buffer) {
    Result<Storage> frames = read(wiring, buffer);
    if (!frames) {
        frames.error().place = place_of(wiring.manifest, buffer.table->component.path + ".init");
    }
    return frames;
}

}  // namespace tenon
