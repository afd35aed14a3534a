// SPDX-License-Identifier: Apache-2.0
// Recorded frames of any format that this host and its plugins read, outside of a run.
#pragma once

#include <filesystem>
#include <vector>

#include "base/error/result.hpp"
#include "plugins/plugin/search_path.hpp"
#include "train/plan/named_frames.hpp"

namespace tenon {

Result<NamedFrames> open_frames(const std::filesystem::path& path, const std::vector<SearchFolder>& plugins);

}  // namespace tenon
