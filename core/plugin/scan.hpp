// SPDX-License-Identifier: Apache-2.0
// The plugin files of some folders, each with its note or with the reason why it cannot be used.
#pragma once

#include <vector>

#include "plugin/component.hpp"
#include "plugin/pin.hpp"
#include "plugin/search_path.hpp"

namespace tenon {

struct Scan {
    std::vector<PluginFile> files;
    Problems problems;  // missing folders, pins that fit no file
};

Scan scan_folders(const std::vector<SearchFolder>& folders, const std::vector<Pin>& pins);

}  // namespace tenon
