// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/group_naming.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <system_error>

namespace tenon {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> parts_of(const fs::path& folder) {
    std::error_code code;
    std::vector<std::string> out;
    for (const fs::path& part : fs::absolute(folder, code).lexically_normal()) {
        if (!part.empty() && part != "/") {
            out.push_back(part.string());
        }
    }
    return out;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<fs::path>& folders) {
    std::vector<std::vector<std::string>> parts;
    std::size_t longest = 1;
    for (const fs::path& folder : folders) {
        longest = std::max(longest, parts.emplace_back(parts_of(folder)).size());
    }
    std::vector<std::string> out;
    for (std::size_t length = 1; length <= longest; ++length) {
        out.clear();
        for (const std::vector<std::string>& names : parts) {
            std::string name;
            for (std::size_t i = names.size() - std::min(length, names.size()); i < names.size(); ++i) {
                name += (name.empty() ? "" : "/") + names[i];
            }
            out.push_back(name.empty() ? "/" : name);
        }
        if (std::set<std::string>(out.begin(), out.end()).size() == out.size()) {
            break;
        }
    }
    return out;
}

}  // namespace tenon
