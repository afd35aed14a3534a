// SPDX-License-Identifier: Apache-2.0
// The plugin files of some folders, each with its note's outline or with the reason why it cannot be used.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error/result.hpp"
#include "plugins/plugin/component.hpp"
#include "plugins/plugin/note.hpp"
#include "plugins/plugin/pin.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

struct Scan {
    std::vector<PluginFile> files;
    Problems problems;  // missing folders, pins without a file
};

// The file name of a plugin, with links resolved, must be the name in its note.
Status check_file_name(const std::filesystem::path& file, const Note& note);

Scan scan_folders(const std::vector<SearchFolder>& folders, const std::vector<Pin>& pins);

}  // namespace tenon
