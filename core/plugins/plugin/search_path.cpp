// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/search_path.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace tenon {

namespace {

namespace fs = std::filesystem;

std::optional<fs::path> home() {
    const char* const named = std::getenv("TENON_HOME");
    return named != nullptr && *named != '\0' ? std::optional<fs::path>(named) : std::nullopt;
}

}  // namespace

fs::path this_program() {
    std::error_code code;
    return fs::read_symlink("/proc/self/exe", code);
}

fs::path program_to_start_again() {
    std::error_code code;
    return fs::equivalent(this_program(), "/proc/self/exe", code) ? this_program() : "/proc/self/exe";
}

fs::path program_folder() {
    return this_program().parent_path();
}

std::optional<fs::path> find_program(const std::string& name) {
    const fs::path folder = program_folder();
    std::vector<fs::path> places = {folder, folder.parent_path() / "bin"};
    if (const auto named = home()) {
        places.push_back(*named / "bin");
    }
    std::error_code code;
    for (const fs::path& place : places) {
        if (fs::exists(place / name, code)) {
            return place / name;
        }
    }
    return std::nullopt;
}

fs::path installed_folder() {
    if (const auto named = home()) {
        return *named / "lib" / "tenon";
    }
    const fs::path folder = program_folder();
    const bool inside = folder.filename() == "tenon" && folder.parent_path().filename() == "lib";
    return inside ? folder : (folder / ".." / "lib" / "tenon").lexically_normal();
}

bool is_shipped(const fs::path& file) {
    std::error_code code;
    return fs::equivalent(fs::absolute(file, code).parent_path(), installed_folder() / "plugins", code);
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
