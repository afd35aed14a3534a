// SPDX-License-Identifier: Apache-2.0
// Writes recorded frames in another format, for `tenon data convert`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/frames/write_dataset.hpp"

namespace tenon {

struct Conversion {
    std::vector<std::filesystem::path> from;  // several are joined
    std::filesystem::path to;
    std::string format;  // "frames": tenon frames/1; otherwise a component of the kind dataset
    std::vector<SearchFolder> plugins;
    bool one_lane = false;  // joins also what is one source
};

Result<Converted> convert_frames(const Conversion& request);

}  // namespace tenon
