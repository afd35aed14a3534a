// SPDX-License-Identifier: Apache-2.0
#include "plugin/search_path.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenon {

std::filesystem::path installed_folder() {
    if (const char* home = std::getenv("TENON_HOME"); home != nullptr && *home != '\0') {
        return std::filesystem::path(home) / "lib" / "tenon";
    }
    std::error_code code;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
    return (program.parent_path() / ".." / "lib" / "tenon").lexically_normal();
}

std::vector<SearchFolder> search_folders(std::vector<SearchFolder> given) {
    const char* variable = std::getenv("TENON_PLUGIN_PATH");
    std::string_view rest = variable != nullptr ? variable : "";
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) {
            given.push_back({std::string(rest.substr(0, end)), "TENON_PLUGIN_PATH", {}});
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    given.push_back({installed_folder() / "plugins", {}, {}});
    return given;
}

}  // namespace tenon
