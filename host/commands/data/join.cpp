// SPDX-License-Identifier: Apache-2.0
#include "commands/data/subcommands.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "experience/dataset/episodes.hpp"

namespace tenon {
namespace {

std::string text_of(const StorageColumn& column) {
    return std::string(name_of(column.dtype)) + " " + to_string(column.row);
}

bool is_kept(Role role) {
    return role == Role::kObservation || role == Role::kAction || role == Role::kReward;
}

bool are_alike(const StorageColumn& one, const StorageColumn* other) {
    return other != nullptr && other->dtype == one.dtype && other->row == one.row && other->role == one.role;
}

// How the observations, actions and rewards differ from those of the first source; empty if they are the same.
std::string difference(const Storage& first, const Storage& other) {
    for (const StorageColumn& column : first.columns()) {
        const StorageColumn* const same = other.find(column.key);
        if (is_kept(column.role) && !are_alike(column, same)) {
            return same == nullptr
                       ? "it has no column '" + column.key + "'"
                       : "its column '" + column.key + "' is " + text_of(*same) + ", not " + text_of(column);
        }
    }
    for (const StorageColumn& column : other.columns()) {
        if (is_kept(column.role) && first.find(column.key) == nullptr) {
            return "only it has a column '" + column.key + "'";
        }
    }
    return "";
}

// Copies the rows of an episode, flags included, to the slots from `to` on of lane 0.
void copy_episode(const Storage& from, const StoredEpisode& episode, Storage& into, std::uint32_t to) {
    for (const StorageColumn& column : into.columns()) {
        const StorageColumn& source = *from.find(column.key);
        std::uint32_t at = to;
        each_slot(from, episode, [&](std::uint32_t slot) {
            std::memcpy(row_at(column.view, at, 0), row_at(source.view, slot, episode.lane), row_bytes(column));
            if (column.final.data != nullptr) {
                std::memcpy(row_at(column.final, at, 0), row_at(source.final, slot, episode.lane), row_bytes(column));
            }
            ++at;
        });
    }
}

}  // namespace

Result<NamedFrames> joined(std::span<const NamedFrames> sources) {
    const Storage& first = sources.front().frames.storage;
    std::uint64_t frames = 0;
    for (const NamedFrames& source : sources) {
        if (const std::string why = difference(first, source.frames.storage); !why.empty()) {
            return input_problem(source.file.string() + " cannot be joined with " + sources.front().file.string() +
                                 ": " + why);
        }
        for (const StoredEpisode& episode : episodes_of(source.frames.storage)) {
            frames += episode.is_whole() ? episode.length : 0;
        }
    }
    if (frames == 0 || frames >= std::numeric_limits<std::uint32_t>::max()) {
        return input_problem("the sources have " + counted(frames, "frame") + " of whole episodes, " +
                             (frames == 0 ? "so there is nothing to join" : "more than one file holds"));
    }
    std::vector<StorageColumn> columns;
    std::vector<std::string> left_out;
    for (const StorageColumn& column : first.columns()) {
        const bool in_all = std::ranges::all_of(sources, [&](const NamedFrames& source) {
            return are_alike(column, source.frames.storage.find(column.key));
        });
        if (!in_all) {
            left_out.push_back("the column '" + column.key + "', which not all sources have");
        } else if (!is_flag_column(column.key)) {
            columns.push_back(column);
        }
    }
    Storage out = TENON_TRY(Storage::make(std::move(columns), static_cast<std::uint32_t>(frames) + 1, 1));
    std::uint32_t slot = 0;
    for (const NamedFrames& source : sources) {
        for (const StoredEpisode& episode : episodes_of(source.frames.storage)) {
            if (episode.is_whole()) {
                copy_episode(source.frames.storage, episode, out, slot);
                slot += episode.length;
            }
        }
    }
    *static_cast<std::uint8_t*>(row_at(out.find("is_init")->view, slot, 0)) = 1;
    out.stand_at({.head = slot, .count = {slot}, .parked = {0}, .appended = frames});
    TensorMetadata about = sources.front().frames.about;
    for (const char* key : {"frames", "episodes", "return_mean", "return_std", "length_mean", "actions", "checkpoint",
                            "seed", "manifest_sha256"}) {
        about.erase(key);  // of the first source only
    }
    return NamedFrames{.file = sources.front().file,
                       .format = sources.front().format,
                       .frames = {.storage = std::move(out), .about = std::move(about)},
                       .specs = sources.front().specs,
                       .left_out = std::move(left_out)};
}

}  // namespace tenon
