// SPDX-License-Identifier: Apache-2.0
#include "commands/import/layouts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/error/problem.hpp"
#include "base/file/read.hpp"

namespace tenon {
namespace {

struct Layout {
    std::string_view name;
    std::string_view rules;
};

constexpr std::array kLayouts = {Layout{
                                     "gpt2",
#include "commands/import/layouts/gpt2.inc"
                                 },
                                 Layout{
                                     "llama",
#include "commands/import/layouts/llama.inc"
                                 }};
constexpr std::uint64_t kLargestTable = 1 << 20;
constexpr std::string_view kNetwork = "actor/";  // what rules of layouts call it

}  // namespace

std::string layout_names() {
    std::string out;
    for (const Layout& layout : kLayouts) {
        out += (out.empty() ? "" : ", ") + std::string(layout.name);
    }
    return out;
}

Result<std::vector<NameRule>> rules_of_layout(const std::string& text) {
    const std::size_t middle = text.find('=');
    const std::string name = text.substr(0, middle);
    const std::string network = middle == std::string::npos ? "actor" : text.substr(middle + 1);
    std::string lines;
    std::error_code ignored;
    if (const auto* const found = std::ranges::find(kLayouts, name, &Layout::name); found != kLayouts.end()) {
        lines = found->rules;
    } else if (std::filesystem::exists(name, ignored)) {
        lines = TENON_TRY(read_file(name, Largest{.bytes = kLargestTable, .kind = "file of rules"}));
    } else {
        return input_problem("there is no layout and no file '" + name + "'", {}, "layouts: " + layout_names());
    }
    std::vector<NameRule> rules = TENON_TRY(read_name_rules(lines));
    for (NameRule& rule : rules) {
        if (rule.to.starts_with(kNetwork)) {
            rule.to = network + rule.to.substr(kNetwork.size() - 1);
        }
    }
    return rules;
}

}  // namespace tenon
