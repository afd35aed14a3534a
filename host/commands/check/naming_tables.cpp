// SPDX-License-Identifier: Apache-2.0
#include "commands/check/naming_tables.hpp"

#include <string_view>

#include "commands/check/workbench.hpp"
#include "config/manifest/flatten.hpp"

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

}  // namespace tenon
