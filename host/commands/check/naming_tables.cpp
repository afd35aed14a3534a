// SPDX-License-Identifier: Apache-2.0
#include "commands/check/naming_tables.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "base/file/read.hpp"
#include "commands/check/workbench.hpp"
#include "config/manifest/document_text.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

std::vector<std::string> tables_naming(const CheckSubject& subject) {
    constexpr std::string_view kKey = ".plugin";
    std::vector<std::string> out;
    for (const auto& [key, value] : flatten(*subject.manifest)) {
        if (key.ends_with(kKey) && value.size() > 2 && is_named(subject, value.substr(1, value.size() - 2))) {
            out.push_back(key.substr(0, key.size() - kKey.size()));
        }
    }
    return out;
}

std::filesystem::path manifest_with(const std::string& component) {
    std::vector<std::filesystem::path> found;
    std::error_code code;
    for (std::filesystem::directory_iterator it(installed_folder() / "bench", code), end; !code && it != end;
         it.increment(code)) {
        const Result<std::string> text = it->path().extension() == ".toml" ? read_file(it->path()) : std::string();
        if (text && text->find('"' + component + '"') != std::string::npos) {
            found.push_back(it->path());
        }
    }
    std::ranges::sort(found);
    return found.empty() ? std::filesystem::path() : found.front();
}

}  // namespace tenon
