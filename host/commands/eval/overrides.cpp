// SPDX-License-Identifier: Apache-2.0
#include "overrides.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error/result.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/key_path.hpp"

namespace tenon::host {
namespace {

// Refuses values that no evaluation reads.
Status check_overrides(const std::vector<Override>& overrides) {
    static constexpr auto kRead = std::to_array<std::string_view>({"env", "eval", "policy", "run"});
    for (const Override& each : overrides) {
        const std::string key = each.text.substr(0, each.text.find('='));
        if (std::ranges::find(kRead, key.substr(0, key.find('.'))) == kRead.end()) {
            return input_problem("an evaluation does not read '" + key +
                                 "'; it reads the values of [env], [eval], [policy.NAME] and [run]");
        }
    }
    return {};
}

// The table of [[eval.env]] that is played, and its number; null if the run has none.
std::pair<const TomlTable*, std::size_t> played_table(const Document& manifest, const std::string& name) {
    const TomlNode* const eval = manifest.root.find("eval");
    const TomlNode* const env = eval == nullptr || eval->table() == nullptr ? nullptr : eval->table()->find("env");
    if (env == nullptr || !env->is_table_list()) {
        return {nullptr, 0};
    }
    const Result<std::size_t> found = element_named(name.substr(0, name.find('/')), *env->list(), "eval.env", {});
    const std::size_t number = found ? *found : 0;
    return {(*env->list())[number].table(), number};
}

}  // namespace

Result<std::vector<Override>> overrides_of_evaluation(const ScoringRequest& request, std::vector<Override> out) {
    TENON_TRY(check_overrides(out));
    Problems ignored;  // opening the run reports them
    const auto manifest = read_manifest((request.folder / "manifest.lock.toml").string(), {}, ignored);
    const auto [table, number] =
        manifest ? played_table(*manifest, request.env) : std::pair<const TomlTable*, std::size_t>();
    for (Override& each : out) {
        const KeyPath path = read_key_path(each.text);
        const bool of_env = table != nullptr && path.parts.size() > 1 && path.parts[0].name == "env";
        if (of_env && table->find(path.parts[1].name) != nullptr) {
            each.text = "eval.env." + std::to_string(number) + "." + each.text.substr(path.parts[1].begin);
        }
    }
    return out;
}

}  // namespace tenon::host
