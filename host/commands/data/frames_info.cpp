// SPDX-License-Identifier: Apache-2.0
#include "commands/data/subcommands.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "engines/quarantine/gate.hpp"
#include "run/start/kinds.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// What the file says about its own form, or about one column.
bool is_about_form(std::string_view key) {
    constexpr std::array<std::string_view, 5> kForm = {"format", "slots", "head", "appended", "specs"};
    return std::ranges::find(kForm, key) != kForm.end() || key.starts_with("role.") || key.starts_with("spec.");
}

std::string words_of(const NamedFrames& named, const std::string& key) {
    const auto told = named.frames.about.find("spec." + key);
    if (told == named.frames.about.end()) {
        return {};
    }
    const std::string& words = told->second;
    return words.starts_with(key + ": ") ? words.substr(key.size() + 2) : words;
}

}  // namespace

FramesInfo info_of(const NamedFrames& named) {
    const Storage& storage = named.frames.storage;
    FramesInfo out{.file = named.file.string(),
                   .format = named.format,
                   .frames = storage.view().total,
                   .lanes = storage.lanes(),
                   .columns = {},
                   .facts = {},
                   .left_out = named.left_out,
                   .episodes = summarise_episodes(storage)};
    for (const StorageColumn& column : storage.columns()) {
        const auto extents = column.row.extents();
        out.columns.push_back({.key = column.key,
                               .role = is_flag_column(column.key) ? "flag" : std::string(name_of(column.role)),
                               .dtype = std::string(name_of(column.dtype)),
                               .shape = {extents.begin(), extents.end()},
                               .spec = words_of(named, column.key)});
    }
    for (const auto& [key, value] : named.frames.about) {
        if (!is_about_form(key)) {
            out.facts[key] = value;
        }
    }
    return out;
}

Result<NamedFrames> open_frames(const std::filesystem::path& path, const std::vector<SearchFolder>& plugins) {
    Host host(1, Registry::scan(search_folders(plugins), {}, admit));
    host.storages = storage_kinds();
    if (!host.registry.problems().empty()) {
        return host.registry.problems().front();
    }
    return read_named_frames(path, host);
}

}  // namespace tenon
