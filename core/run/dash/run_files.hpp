// SPDX-License-Identifier: Apache-2.0
// Files in the folder of a run that somebody else has put there: logs and videos. Only these may be shown.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct RunVideo {
    std::filesystem::path path;
    std::string name;  // below the run folder: "best.mp4", "videos/2000.png"
    std::string_view type;
};

// In the run folder and its folder `videos`, in natural order. Links are left out.
std::vector<RunVideo> run_videos(const std::filesystem::path& run);

struct LogEnd {
    std::string name;
    std::string text;  // its last 64 KiB, from the beginning of a line, as valid UTF-8
};

// The files of the run folder with a name that ends in ".log", and log.txt.
std::vector<LogEnd> log_ends(const std::filesystem::path& run);

}  // namespace tenon
