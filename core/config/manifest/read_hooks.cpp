// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/readers.hpp"

#include <string>
#include <utility>
#include <variant>

namespace tenon {
namespace {

// Isolated components see copies; a hook reads the run's own memory.
void refuse_isolation(const FoundTable& found, Problems& problems) {
    const TomlNode* const node = found.table == nullptr ? nullptr : found.table->find("isolation");
    const auto* const value = node == nullptr ? nullptr : std::get_if<std::string>(&node->value);
    if (node != nullptr && (value == nullptr || *value != "inproc")) {
        problems.push_back(input_problem(
            found.path + ".isolation cannot be given: a hook reads the frames of the run in the run's own process",
            node->place, "remove isolation"));
    }
}

}  // namespace

void read_hooks(Manifest& manifest, Problems& problems, const TomlNode& node) {
    for (const FoundTable& found : tables_of_list(manifest, problems, "hooks", "hooks", node)) {
        const TableReader reader(manifest, problems, table_schema("hooks"), found, {"isolation"});
        refuse_isolation(found, problems);
        HookTable hook;
        hook.component = reader.component();
        reader.fill(hook);
        if (hook.name) {
            check_name(found.path, *hook.name, place_of(manifest, path_of(found.path, "name")), problems);
        }
        manifest.hooks.push_back(std::move(hook));
    }
}

}  // namespace tenon
