// SPDX-License-Identifier: Apache-2.0
#include "train/plan/named_frames.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "experience/dataset/spec_json.hpp"
#include "experience/dataset/stored_dataset.hpp"
#include "folder/records/folder.hpp"
#include "train/checkpoint/store.hpp"
#include "train/plan/env_lanes.hpp"
#include "train/plan/hook_plan.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/units.hpp"
#include "train/plan/wiring.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

// The kind of storage whose frames the folder holds; null: none.
const StorageKind* kind_in(const Host& host, const std::filesystem::path& folder) {
    const auto found =
        std::ranges::find_if(host.storages, [&](const StorageKind* kind) { return kind->holds(folder); });
    return found == host.storages.end() ? nullptr : *found;
}

// Whether the frames of the checkpoint are in a folder of their own.
bool is_of_folder(const Host& host, const std::filesystem::path& checkpoint) {
    std::error_code code;
    return std::ranges::any_of(host.storages, [&](const StorageKind* kind) {
        return kind->has_folder() && std::filesystem::exists(checkpoint / kind->checkpoint_file(), code);
    });
}

// The file with the frames of a checkpoint, or of a run's newest one.
Result<std::filesystem::path> file_in_folder(const Host& host, const std::filesystem::path& named) {
    std::error_code code;
    std::filesystem::path checkpoint = named;
    if (!std::filesystem::exists(buffer_of(named), code) &&
        !std::filesystem::exists(named / "parameters.safetensors", code)) {
        const Checkpoint newest = TENON_TRY(find_checkpoint(named / "checkpoints", "last"));
        checkpoint = newest.folder;
    }
    if (!std::filesystem::exists(buffer_of(checkpoint), code)) {
        return is_of_folder(host, checkpoint)
                   ? input_problem("the frames of the checkpoint " + checkpoint.string() +
                                   " are in the folder of its run's buffer.path; name that one")
                   : input_problem("the checkpoint " + checkpoint.string() +
                                       " has no frames: its run had checkpoint.buffer = false",
                                   {}, "tenon record RUN --frames N --out FILE writes frames of a run in a file");
    }
    return buffer_of(checkpoint);
}

Result<NamedFrames> read_own(const Host& host, const std::filesystem::path& path) {
    std::error_code code;
    if (const StorageKind* const kind = kind_in(host, path); kind != nullptr) {
        FolderFrames frames = TENON_TRY(kind->read(path));
        return NamedFrames{.file = path,
                           .format = frames.format,
                           .frames = {.storage = std::move(frames.storage), .about = std::move(frames.specs)}};
    }
    const std::filesystem::path file =
        TENON_TRY(std::filesystem::is_directory(path, code) ? file_in_folder(host, path) : Result(path));
    SavedFrames frames = TENON_TRY(read_frames(file));
    const auto specs = frames.about.find("specs");
    Composite known = specs == frames.about.end() ? Composite() : specs_from_json(specs->second);
    return NamedFrames{
        .file = file, .format = frames.about["format"], .frames = std::move(frames), .specs = std::move(known)};
}

// Whether the path was probably meant as frames of this host, so that a problem with it is worth reporting: a file that
// begins as they do or has such a name, a run or a checkpoint.
bool looks_own(const Host& host, const std::filesystem::path& path) {
    std::error_code code;
    if (kind_in(host, path) != nullptr || is_of_folder(host, path)) {
        return true;
    }
    if (std::filesystem::is_directory(path, code)) {
        const std::array parts = {path / "checkpoints", path / "manifest.lock.toml", path / "parameters.safetensors",
                                  buffer_of(path)};
        return std::ranges::any_of(parts, [&](const auto& part) { return std::filesystem::exists(part, code); });
    }
    constexpr std::streamoff kHeader = 8;  // after the size of the header
    std::ifstream file(path, std::ios::binary);
    const bool is_named = path.extension() == ".frames" || path.extension() == ".safetensors";
    return is_named || !file || file.seekg(kHeader).peek() == '{';
}

Problem unknown_format(const std::filesystem::path& path, const Registry& registry) {
    const std::vector<std::string> formats = Dataset::names(registry);
    return input_problem(path.string() +
                             " is in no known format: it is no file of frames, run, checkpoint or folder of " +
                             "a buffer, " +
                             (formats.empty() ? "and there is no plugin that reads other datasets"
                                              : "and " + listed(formats) + " cannot read it either"),
                         {}, "searched for plugins: " + listed(registry.folders()));
}

Result<NamedFrames> read_dataset(const std::filesystem::path& path, const Dataset& dataset) {
    DatasetContent content = TENON_TRY(dataset.open(path));
    Storage storage = TENON_TRY(stored(dataset, content));
    // If the dataset names no env, its bounds are unknown.
    Composite bounded;
    std::ranges::copy_if(content.columns.specs, std::back_inserter(bounded.specs),
                         [](const Spec& spec) { return spec.kind != SpecKind::kUnbounded; });
    TensorMetadata about = specs_in_words(bounded);
    about["specs"] = specs_to_json(content.columns);
    about.insert(content.facts.begin(), content.facts.end());
    return NamedFrames{.file = path,
                       .format = dataset.name(),
                       .frames = {.storage = std::move(storage), .about = std::move(about)},
                       .specs = std::move(content.columns),
                       .episodes = std::move(content.episodes),
                       .left_out = std::move(content.left_out)};
}

std::string of_column(const StorageColumn& column) {
    return std::string(name_of(column.dtype)) + " " + to_string(column.row);
}

// Networks and objectives rely on the same number of actions within the same bounds.
std::string other_spec(const Composite& specs, const SavedFrames& frames, const StorageColumn& column) {
    const Spec* const spec = specs.find(column.key);
    const auto told = frames.about.find("spec." + column.key);
    const bool matters = column.role == Role::kAction || column.role == Role::kObservation;
    if (!matters || spec == nullptr || told == frames.about.end() || told->second == to_string(*spec)) {
        return {};
    }
    return "have " + told->second + ", but this run has " + to_string(*spec) + "; they come from another env";
}

// Whether anything reads the column of stored frames. Columns that only acting reads need not be recorded. Transforms
// that will run over the frames read the columns that their options name.
bool is_read(const Wiring& wiring, const BufferPlan& buffer, const std::string& key) {
    const auto names = [&](const Part& part) { return names_column(part, key); };
    return std::ranges::any_of(std::array{key, next_key(key)},
                               [&](const std::string& reader) {
                                   return learning_wants(wiring, &buffer, reader) || hooks_want(wiring, reader);
                               }) ||
           (buffer.table->transform_init && std::ranges::any_of(wiring.parts.training.transforms, names));
}

// Why the frames do not have these columns, of which `specs` has the env's; empty if they do.
std::string wrong_columns(const Wiring& wiring, const BufferPlan& buffer, const SavedFrames& frames,
                          std::span<const StorageColumn> columns, const Composite& specs) {
    const Storage& other = frames.storage;
    const auto known = mapped<std::string_view>(other.columns(), &StorageColumn::key);
    const std::string list = listed(known);
    for (const StorageColumn& wanted : columns) {
        const StorageColumn* const existing = other.find(wanted.key);
        const auto computes = [&](const ObjectivePlan& plan) { return plan.writes(wanted.key); };
        if (std::ranges::any_of(wiring.objectives, computes)) {
            continue;  // the objective computes it from these frames
        }
        if (existing == nullptr && !is_read(wiring, buffer, wanted.key)) {
            continue;
        }
        if (existing == nullptr) {
            return "have no column '" + wanted.key + "'; they have " + list + did_you_mean(wanted.key, known);
        }
        if (existing->dtype != wanted.dtype || existing->row != wanted.row || existing->role != wanted.role) {
            return "have the column '" + wanted.key + "' as " + of_column(*existing) + ", but this run has " +
                   of_column(wanted);
        }
        if (std::string why = other_spec(specs, frames, wanted); !why.empty()) {
            return why;
        }
    }
    return {};
}

// The cure for frames of another number of lanes. It names the option of the command line that gives the frames or the
// lanes, otherwise the line of the manifest.
std::string other_lanes(const Manifest& manifest, const BufferTable& buffer, const std::string& lanes,
                        const std::string& file) {
    const auto by_option = [&](const std::string& path) { return place_of(manifest, path).file.starts_with("--set"); };
    const bool typed = by_option(buffer.component.path + ".init") || by_option("env.lanes");
    const std::string set = typed ? "give --set env.lanes=" + lanes : "set env.lanes = " + lanes;
    return manifest.env.lanes == 1 && !buffer.init.empty()
               ? set + ", or use one.frames of `tenon data convert --one-lane " + file + " one.frames`"
               : set;
}

// Why the storage cannot take so many frames, and what to do; empty if it can.
std::string wrong_size(const Wiring& wiring, const BufferPlan& buffer, const Storage& other, const std::string& file) {
    if (!buffer.collects()) {
        return other.view().total == 0 ? "are missing: its buffer is empty" : "";
    }
    if (other.lanes() != static_cast<std::uint32_t>(wiring.manifest.env.lanes)) {
        return "come from " + counted(other.lanes(), "lane") + ", but env.lanes is " +
               std::to_string(wiring.manifest.env.lanes) + "; " +
               other_lanes(wiring.manifest, *buffer.table, std::to_string(other.lanes()), file);
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
Status take_dtypes(std::span<const StorageColumn> columns, NamedFrames& named) {
    std::vector<DType> dtypes;
    bool differs = false;
    for (const StorageColumn& column : named.frames.storage.columns()) {
        const auto wanted = std::ranges::find(columns, column.key, &StorageColumn::key);
        const auto spec = std::ranges::find(named.specs.specs, column.key, &Spec::key);
        dtypes.push_back(column.dtype);
        if (wanted != columns.end() && spec != named.specs.specs.end() && converts(column.dtype, wanted->dtype)) {
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

// The frames as they are in the file or, with transform_init, as the env's transforms make them.
Result<TransformedFrames> as_stored(const Wiring& wiring, const BufferPlan& buffer, NamedFrames named) {
    if (!buffer.table->transform_init) {
        return TransformedFrames{.storage = std::move(named.frames.storage), .learnt = {}};
    }
    const std::uint32_t lanes = named.frames.storage.lanes();
    const std::vector<Instance> made = TENON_TRY(make_transforms(wiring.parts.training, lanes, wiring.seed(), "fill/"));
    auto transforms = mapped<Callee<tn_transform_api>>(
        made, [](const Instance& transform) { return Callee<tn_transform_api>::of(transform, "tenon.transform/1"); });
    return transformed_frames(named.frames.storage, wiring.inner_specs, std::move(transforms), wiring.seed(),
                              wiring.host->pool);
}

Result<TransformedFrames> read(const Wiring& wiring, const BufferPlan& buffer) {
    std::error_code code;
    const bool has_own_path = buffer.table->init.empty();
    const std::string& source = has_own_path ? buffer.table->path : buffer.table->init;
    if (has_own_path && kind_in(*wiring.host, source) == nullptr) {
        return input_problem("there is no buffer in " + source, {},
                             "name the folder that a run with storage = \"mmap\" has written as its buffer.path");
    }
    if (!std::filesystem::exists(source, code)) {
        return input_problem(
            "there is no run folder and no file " + source + " with frames for the buffer", {},
            "tenon record writes such a file; relative paths begin at the manifest's folder, and after "
            "--set at the working directory");
    }
    NamedFrames named = TENON_TRY(read_named_frames(source, *wiring.host));
    const bool transforms = buffer.table->transform_init;
    const std::vector<StorageColumn> columns = transforms ? storage_columns(wiring.inner_specs) : buffer.stored;
    TENON_TRY(take_dtypes(columns, named));
    std::string why =
        wrong_columns(wiring, buffer, named.frames, columns, transforms ? wiring.inner_specs : wiring.env_specs);
    why = why.empty() ? wrong_size(wiring, buffer, named.frames.storage, named.file.string()) : why;
    if (!why.empty()) {
        return input_problem("the frames in " + named.file.string() + " " + why);
    }
    return as_stored(wiring, buffer, std::move(named));
}

}  // namespace

Result<NamedFrames> read_named_frames(const std::filesystem::path& path, Host& host) {
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
        return input_problem("there is no file and no folder " + path.string());
    }
    Result<NamedFrames> own = read_own(host, path);
    if (own) {
        return own;
    }
    const std::optional<Dataset> dataset = TENON_TRY(Dataset::claiming(path, host.registry, host.services.table()));
    if (dataset) {
        return read_dataset(path, *dataset);
    }
    if (const std::string runs = looks_own(host, path) ? "" : runs_in(path, 2); !runs.empty()) {
        return input_problem(path.string() + " holds runs, not frames: name one of them, " + runs);
    }
    return looks_own(host, path) ? std::move(own) : Result<NamedFrames>(unknown_format(path, host.registry));
}

Result<TransformedFrames> read_initial_frames(const Wiring& wiring, const BufferPlan& buffer) {
    return placed(
        read(wiring, buffer),
        place_of(wiring.manifest, buffer.table->component.path + (buffer.table->init.empty() ? ".path" : ".init")));
}

}  // namespace tenon
