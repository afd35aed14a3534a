// SPDX-License-Identifier: Apache-2.0
#include "shared/history/find_runs.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <system_error>

#include "shared/history/natural_order.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFolders = 100'000;  // more than anybody keeps in one folder: it is the wrong folder

bool is_run(const fs::path& folder) {
    std::error_code code;
    return fs::is_regular_file(folder / "manifest.lock.toml", code);
}

struct Search {
    std::vector<fs::path> runs;
    std::size_t folders = 0;

    // A folder that cannot be read has no runs for this person; it may belong to somebody else.
    void look_below(const fs::path& folder, int depth) {
        std::vector<fs::path> below;
        std::error_code code;
        for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
            std::error_code ignored;
            const bool folder_of_its_own = it->symlink_status(ignored).type() == fs::file_type::directory;
            if (folder_of_its_own && !it->path().filename().string().starts_with('.')) {
                below.push_back(it->path());
            }
        }
        std::ranges::sort(below, [](const fs::path& a, const fs::path& b) {
            return natural_less(a.filename().string(), b.filename().string());
        });
        for (const fs::path& path : below) {
            if (++folders > kMostFolders) {
                return;
            }
            if (is_run(path)) {
                runs.push_back(path);
            } else if (depth > 1) {
                look_below(path, depth - 1);
            }
        }
    }
};

}  // namespace

Result<std::vector<fs::path>> find_runs(const fs::path& path, int depth) {
    std::error_code code;
    if (!fs::is_directory(path, code)) {
        return input_problem(fs::exists(path, code) ? path.string() + " is not a folder, so it is no run"
                                                    : "there is no folder " + path.string());
    }
    if (is_run(path)) {
        return std::vector<fs::path>{path};
    }
    Search search;
    search.look_below(path, depth);
    if (search.folders > kMostFolders) {
        return input_problem("there are more than " + std::to_string(kMostFolders) + " folders below " + path.string() +
                             "; name a folder of runs");
    }
    if (search.runs.empty()) {
        return input_problem("there is no run in " + path.string() + " or at most " + std::to_string(depth) +
                             " folders below it: none has a manifest.lock.toml");
    }
    return std::move(search.runs);
}

std::vector<fs::path> without_files(std::vector<fs::path> paths) {
    const auto is_folder = [](const fs::path& path) {
        std::error_code code;
        return fs::is_directory(path, code);
    };
    const auto is_file = [](const fs::path& path) {
        std::error_code code;
        return fs::is_regular_file(path, code);
    };
    if (std::ranges::any_of(paths, is_folder)) {
        std::erase_if(paths, is_file);
    }
    return paths;
}

Result<std::vector<fs::path>> find_runs(const std::vector<fs::path>& paths, int depth) {
    std::vector<fs::path> out;
    std::vector<fs::path> known;
    for (const fs::path& path : without_files(paths)) {
        const std::vector<fs::path> runs = TENON_TRY(find_runs(path, depth));
        for (const fs::path& run : runs) {
            std::error_code code;
            fs::path same = fs::canonical(run, code);
            if (std::ranges::find(known, same) == known.end()) {
                known.push_back(std::move(same));
                out.push_back(run);
            }
        }
    }
    return out;
}

}  // namespace tenon
