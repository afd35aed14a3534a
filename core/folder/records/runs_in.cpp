// SPDX-License-Identifier: Apache-2.0
#include "folder/records/runs_in.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

namespace tenon {

namespace fs = std::filesystem;

std::string runs_in(const fs::path& folder, int depth) {
    std::vector<std::string> found;
    std::error_code code;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, code);
    for (; !code && it != fs::recursive_directory_iterator(); it.increment(code)) {
        std::error_code ignored;
        const bool is_run = fs::is_regular_file(it->path() / "manifest.lock.toml", ignored);
        if (is_run) {
            found.push_back(it->path().string());
        }
        if (is_run || it.depth() + 1 >= depth) {
            it.disable_recursion_pending();
        }
    }
    if (found.empty()) {
        return {};
    }
    const std::string more = found.size() > 1 ? " and " + std::to_string(found.size() - 1) + " more" : "";
    return *std::ranges::min_element(found) + more;
}

}  // namespace tenon
