// SPDX-License-Identifier: Apache-2.0
#include "shared/named_plugin/named_plugin.hpp"

#include <string_view>
#include <system_error>

#include "base/error/problem.hpp"
#include "plugin_options.hpp"
#include "plugins/plugin/component.hpp"
#include "plugins/plugin/registry.hpp"

namespace tenon::host {
namespace {

bool names_a_file(std::string_view word) {
    std::error_code code;
    return word.starts_with('/') || word.starts_with('.') || (word.size() > 3 && word.ends_with(".so")) ||
           std::filesystem::is_regular_file(word, code);
}

Result<NamedPlugin> installed_plugin(const std::string& word, const CommandLine& line) {
    const Registry registry = Registry::scan(plugin_folders(line));
    if (!registry.problems().empty()) {
        return registry.problems().front();
    }
    if (word.find('/') == std::string::npos) {
        const auto file = registry.find_library(word);
        return file ? Result<NamedPlugin>(NamedPlugin{(*file)->path, {}}) : file.error();
    }
    const Result<ComponentInfo> info = registry.find(word);
    return info ? Result<NamedPlugin>(NamedPlugin{info->plugin->path, info->note->id}) : info.error();
}

}  // namespace

Result<NamedPlugin> named_plugin(const std::string& word, const CommandLine& line) {
    std::error_code code;
    const bool folder = std::filesystem::is_directory(word, code);
    if (!folder && names_a_file(word)) {
        return NamedPlugin{word, {}};
    }
    Result<NamedPlugin> named = installed_plugin(word, line);
    if (!named && folder) {
        return input_problem(word + " is a folder, not a file", {},
                             "name a plugin in it; `tenon list --plugins " + word + "` shows them among all others");
    }
    return named;
}

}  // namespace tenon::host
