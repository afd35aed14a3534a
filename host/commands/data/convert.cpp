// SPDX-License-Identifier: Apache-2.0
#include "commands/data/subcommands.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file/atomic.hpp"
#include "base/file/new_folders.hpp"
#include "engines/quarantine/gate.hpp"
#include "experience/dataset/episodes.hpp"
#include "run/start/kinds.hpp"
#include "train/plan/named_frames.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

Result<Converted> write_own(const NamedFrames& named, const std::filesystem::path& to) {
    const TensorMetadata& about = named.frames.about;
    std::error_code code;
    if (std::filesystem::is_directory(to, code)) {
        return input_problem(to.string() + " is a folder; give a file for the frames");
    }
    Status done = make_folders(std::filesystem::absolute(to).parent_path());
    done = done ? write_file(to,
                             [&](const std::filesystem::path& temporary) {
                                 return write_frames(named.frames.storage, temporary, about);
                             })
                : std::move(done);
    if (!done) {
        return std::move(done).error();
    }
    return Converted{.frames = named.frames.storage.view().total,
                     .episodes = episodes_of(named.frames.storage).size(),
                     .left_out = {}};
}

DatasetFacts facts_of(const NamedFrames& named) {
    DatasetFacts out;
    for (const auto& [key, value] : named.frames.about) {
        if (!key.starts_with("role.") && !key.starts_with("spec.") && key != "specs") {
            out[key] = value;
        }
    }
    return out;
}

// The ending of another format would mislead who opens the file.
Status check_ending(const std::filesystem::path& to) {
    std::string ending = to.extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 13> kOthers = {
        ".csv", ".tsv", ".json", ".jsonl", ".npz", ".npy", ".h5", ".hdf5", ".parquet", ".arrow", ".pt", ".pkl", ".txt"};
    if (std::ranges::find(kOthers, ending) == kOthers.end()) {
        return {};
    }
    return input_problem(
        "data convert writes no " + ending +
            ": there are --format frames, a file of safetensors, and "
            "the datasets of components, such as --format minari",
        {}, "give the file another name: " + std::filesystem::path(to).replace_extension("safetensors").string());
}

}  // namespace

Result<Converted> convert_frames(const Conversion& request) {
    TENON_TRY(request.format == kOwnFormat ? check_ending(request.to) : Status());
    Host host(1, Registry::scan(search_folders(request.plugins), {}, admit));
    host.storages = storage_kinds();
    if (!host.registry.problems().empty()) {
        return host.registry.problems().front();
    }
    std::vector<NamedFrames> sources;
    std::vector<std::string> left_out;
    for (const std::filesystem::path& from : request.from) {
        sources.push_back(TENON_TRY(read_named_frames(from, host)));
        left_out.insert(left_out.end(), sources.back().left_out.begin(), sources.back().left_out.end());
    }
    const bool joins = sources.size() > 1 || request.one_lane;
    NamedFrames named = TENON_TRY(joins ? joined(sources) : Result(std::move(sources.front())));
    if (joins) {
        left_out.insert(left_out.end(), named.left_out.begin(), named.left_out.end());
    }
    const NewFolders above(request.to);
    Result<Converted> made = request.format == kOwnFormat ? write_own(named, request.to)
                                                          : write_dataset({.storage = named.frames.storage,
                                                                           .specs = named.specs,
                                                                           .facts = facts_of(named),
                                                                           .to = request.to,
                                                                           .format = request.format,
                                                                           .episodes = named.episodes},
                                                                          host.registry, host.services.table());
    if (made) {
        made->left_out.insert(made->left_out.begin(), left_out.begin(), left_out.end());
    }
    return made;
}

}  // namespace tenon
