// SPDX-License-Identifier: Apache-2.0
#include "interpreter.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "tenon/guard.hpp"

namespace bridge {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

std::string in_search_path(const std::string& name) {
    const char* const list = std::getenv("PATH");
    std::string_view rest = list == nullptr ? "" : list;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        const fs::path path = fs::absolute(fs::path(folder.empty() ? "." : folder) / name);
        if (is_program(path)) {
            return path.string();
        }
    }
    return "";
}

}  // namespace

std::string find_python(const tenon::FileOrName& option) {
    if (option.is_path()) {
        const fs::path path = fs::absolute(option.text).lexically_normal();
        if (!is_program(path)) {
            throw tenon::InvalidArgument("option 'python': " + path.string() +
                                         " is no program; name the interpreter of an environment, such as " +
                                         "venv/bin/python");
        }
        return path.string();
    }
    const char* const active = std::getenv("VIRTUAL_ENV");
    if (option.text.empty() && active != nullptr && is_program(fs::path(active) / "bin/python")) {
        return (fs::absolute(active) / "bin/python").string();
    }
    const std::string name = option.text.empty() ? "python3" : option.text;
    std::string found = in_search_path(name);
    if (found.empty()) {
        throw tenon::InvalidArgument("option 'python': there is no " + name +
                                     " in the PATH; name an interpreter: python = " + "\"/path/to/venv/bin/python\"");
    }
    return found;
}

std::string worker_package() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&worker_package), &info) == 0) {
        throw tenon::Unavailable("a plugin does not find its own file, in whose folder tenon_worker is");
    }
    const fs::path path = fs::absolute(info.dli_fname).parent_path() / "tenon_worker";
    if (!fs::exists(path)) {
        throw tenon::Unavailable("the plugin needs the folder " + path.string() + ", which does not exist");
    }
    return path.string();
}

}  // namespace bridge
