// SPDX-License-Identifier: Apache-2.0
#include "train/plan/named_frames.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "experience/dataset/spec_json.hpp"
#include "experience/dataset/stored_dataset.hpp"
#include "experience/replay/disk_folder.hpp"
#include "experience/replay/storage_on_disk.hpp"
#include "folder/records/folder.hpp"
#include "train/checkpoint/ring_file.hpp"
#include "train/checkpoint/store.hpp"

namespace tenon {
namespace {

// The file with the frames of a checkpoint, or of a run's newest one.
Result<std::filesystem::path> file_in_folder(const std::filesystem::path& named) {
    std::error_code code;
    std::filesystem::path checkpoint = named;
    if (!std::filesystem::exists(buffer_of(named), code) &&
        !std::filesystem::exists(named / "parameters.safetensors", code)) {
        const Checkpoint newest = TENON_TRY(find_checkpoint(named / "checkpoints", "last"));
        checkpoint = newest.folder;
    }
    if (!std::filesystem::exists(buffer_of(checkpoint), code)) {
        return std::filesystem::exists(ring_of(checkpoint), code)
                   ? input_problem("the frames of the checkpoint " + checkpoint.string() +
                                   " are in the folder of its run's buffer.path; name that one")
                   : input_problem("the checkpoint " + checkpoint.string() +
                                       " has no frames: its run had checkpoint.buffer = false",
                                   {}, "tenon record RUN --frames N --out FILE writes frames of a run in a file");
    }
    return buffer_of(checkpoint);
}

// The frames of a buffer on a disk.
Result<NamedFrames> read_disk(const std::filesystem::path& folder) {
    Storage storage = TENON_TRY(open_on_disk(folder, false));
    TensorMetadata about = storage.disk()->files().layout().specs;
    return NamedFrames{.file = folder,
                       .format = "tenon buffer/1",
                       .frames = {.storage = std::move(storage), .about = std::move(about)}};
}

Result<NamedFrames> read_own(const std::filesystem::path& path) {
    std::error_code code;
    if (holds_buffer(path)) {
        return read_disk(path);
    }
    const std::filesystem::path file =
        TENON_TRY(std::filesystem::is_directory(path, code) ? file_in_folder(path) : Result(path));
    SavedFrames frames = TENON_TRY(read_frames(file));
    const auto specs = frames.about.find("specs");
    Composite known = specs == frames.about.end() ? Composite() : specs_from_json(specs->second);
    return NamedFrames{
        .file = file, .format = frames.about["format"], .frames = std::move(frames), .specs = std::move(known)};
}

// Whether the path was probably meant as frames of this host, so that a problem with it is worth reporting: a file that
// begins as they do or has such a name, a run or a checkpoint.
bool looks_own(const std::filesystem::path& path) {
    std::error_code code;
    if (holds_buffer(path)) {
        return true;
    }
    if (std::filesystem::is_directory(path, code)) {
        const std::array parts = {path / "checkpoints", path / "manifest.lock.toml", path / "parameters.safetensors",
                                  buffer_of(path), ring_of(path)};
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

}  // namespace

Result<NamedFrames> read_named_frames(const std::filesystem::path& path, Registry& registry, const tn_host& host) {
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
        return input_problem("there is no file and no folder " + path.string());
    }
    Result<NamedFrames> own = read_own(path);
    if (own) {
        return own;
    }
    const std::optional<Dataset> dataset = TENON_TRY(Dataset::claiming(path, registry, host));
    if (dataset) {
        return read_dataset(path, *dataset);
    }
    if (const std::string runs = looks_own(path) ? "" : runs_in(path, 2); !runs.empty()) {
        return input_problem(path.string() + " holds runs, not frames: name one of them, " + runs);
    }
    return looks_own(path) ? std::move(own) : Result<NamedFrames>(unknown_format(path, registry));
}

}  // namespace tenon
