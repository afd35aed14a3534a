// SPDX-License-Identifier: Apache-2.0
#include "train/plan/initial_frames.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error/listed.hpp"
#include "experience/dataset/stored_dataset.hpp"
#include "experience/replay/disk_folder.hpp"
#include "train/plan/named_frames.hpp"
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
        const StorageColumn* const existing = other.find(wanted.key);
        const auto computes = [&](const ObjectivePlan& plan) { return plan.writes(wanted.key); };
        if (std::ranges::any_of(wiring.objectives, computes)) {
            continue;  // the objective computes it from these frames
        }
        if (existing == nullptr) {
            return "have no column '" + wanted.key + "'; they have " + list + did_you_mean(wanted.key, known);
        }
        if (existing->dtype != wanted.dtype || existing->row != wanted.row || existing->role != wanted.role) {
            return "have the column '" + wanted.key + "' as " + of_column(*existing) + ", but this run has " +
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
        return "come from " + counted(other.lanes(), "lane") + ", but env.lanes is " +
               std::to_string(wiring.manifest.env.lanes) + "; make it " + std::to_string(other.lanes());
    }
    if (other.ring().live_slots() > storage_slots(wiring)) {
        return "are more than " + buffer.table->component.path + ".capacity holds; make it " +
               std::to_string(std::uint64_t{other.ring().live_slots() - 1} * other.lanes());
    }
    return other.view().total == 0 ? "are missing: its buffer is empty" : "";
}

// Whether elements of one type may be converted to the other: between floats, and between integers.
bool converts(DType from, DType to) {
    const auto is_integer = [](DType dtype) { return dtype == DType::kI64 || dtype == DType::kI32; };
    return (is_float(from) && is_float(to)) || (is_integer(from) && is_integer(to));
}

// Converts frames with known specs to the element types of the run, because other programs write rewards as float64.
Status take_dtypes(const BufferPlan& buffer, NamedFrames& named) {
    std::vector<DType> dtypes;
    bool differs = false;
    for (const StorageColumn& column : named.frames.storage.columns()) {
        const auto wanted = std::ranges::find(buffer.stored, column.key, &StorageColumn::key);
        const auto spec = std::ranges::find(named.specs.specs, column.key, &Spec::key);
        dtypes.push_back(column.dtype);
        if (wanted != buffer.stored.end() && spec != named.specs.specs.end() && converts(column.dtype, wanted->dtype)) {
            differs = differs || wanted->dtype != column.dtype;
            dtypes.back() = spec->dtype = wanted->dtype;
        }
    }
    if (!differs) {
        return {};
    }
    named.frames.storage = TENON_TRY(with_dtypes(named.frames.storage, dtypes));
    for (const auto& [key, words] : specs_in_words(named.specs)) {
        if (const auto told = named.frames.about.find(key); told != named.frames.about.end()) {
            told->second = words;
        }
    }
    return {};
}

Result<Storage> read(const Wiring& wiring, const BufferPlan& buffer) {
    std::error_code code;
    const bool has_own_path = buffer.table->init.empty();
    const std::string& source = has_own_path ? buffer.table->path : buffer.table->init;
    if (has_own_path && !holds_buffer(source)) {
        return input_problem("there is no buffer in " + source, {},
                             "name the folder that a run with storage = \"mmap\" has written as its buffer.path");
    }
    if (!std::filesystem::exists(source, code)) {
        return input_problem(
            "there is no run folder and no file " + source + " with frames for the buffer", {},
            "tenon record writes such a file; relative paths begin at the manifest's folder, and after "
            "--set at the working directory");
    }
    NamedFrames named = TENON_TRY(read_named_frames(source, wiring.host->registry, wiring.host->services.table()));
    TENON_TRY(take_dtypes(buffer, named));
    if (const std::string why = misfit(wiring, buffer, named.frames); !why.empty()) {
        return input_problem("the frames in " + named.file.string() + " " + why);
    }
    return std::move(named.frames.storage);
}

}  // namespace

Result<Storage> read_initial_frames(const Wiring& wiring, const BufferPlan& buffer) {
    Result<Storage> frames = read(wiring, buffer);
    if (!frames) {
        frames.error().place =
            place_of(wiring.manifest, buffer.table->component.path + (buffer.table->init.empty() ? ".path" : ".init"));
    }
    return frames;
}

}  // namespace tenon
