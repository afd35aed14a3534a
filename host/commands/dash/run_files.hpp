// SPDX-License-Identifier: Apache-2.0
// Files in the folder of a run: logs and videos. Only these may be shown.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct RunVideo {
    std::filesystem::path path;
    std::string name;  // below the run folder: "best.mp4", "checkpoints/2000/video.mp4"
    std::string_view type;
};

// In the run folder, its folder `videos` and the folders of its checkpoints (those of evaluations), in natural order.
// Links are left out.
std::vector<RunVideo> run_videos(const std::filesystem::path& run);

struct LogEnd {
    std::string name;
    std::string text;  // its last 64 KiB, from the beginning of a line, as valid UTF-8
};

// The bytes as valid UTF-8, which JSON needs: what is no text is replaced.
std::string as_text(std::string_view bytes);

// The files of the run folder with a name that ends in ".log", and log.txt.
std::vector<LogEnd> log_ends(const std::filesystem::path& run);

}  // namespace tenon
