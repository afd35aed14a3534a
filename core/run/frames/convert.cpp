// SPDX-License-Identifier: Apache-2.0
#include "run/frames/convert.hpp"

#include <utility>

#include "base/file/atomic.hpp"
#include "base/file/new_folders.hpp"
#include "experience/dataset/episodes.hpp"
#include "plugins/quarantine/gate.hpp"
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

}  // namespace

Result<Converted> convert_frames(const Conversion& request) {
    Host host(1, Registry::scan(search_folders(request.plugins), {}, admit));
    if (!host.registry.problems().empty()) {
        return host.registry.problems().front();
    }
    Result<NamedFrames> named = read_named_frames(request.from, host.registry, host.services.table());
    if (!named) {
        return std::move(named).error();
    }
    const NewFolders above(request.to);
    Result<Converted> made = request.format == kOwnFormat ? write_own(*named, request.to)
                                                          : write_dataset({.storage = named->frames.storage,
                                                                           .specs = named->specs,
                                                                           .facts = facts_of(*named),
                                                                           .to = request.to,
                                                                           .format = request.format,
                                                                           .episodes = named->episodes},
                                                                          host.registry, host.services.table());
    if (made) {
        made->left_out.insert(made->left_out.begin(), named->left_out.begin(), named->left_out.end());
    }
    return made;
}

}  // namespace tenon
