// SPDX-License-Identifier: Apache-2.0
#include "train/parts.hpp"

#include <algorithm>
#include <utility>

#include "manifest/tables.hpp"
#include "random/key.hpp"

namespace tenon {
namespace {

Part find_part(const ComponentTable& table, std::string_view kind, const Registry& registry, Problems& problems) {
    Part part{.table = &table, .info = {}, .values = {}, .loaded = {}};
    if (table.ref.plugin.empty()) {
        return part;  // reading the manifest has said so
    }
    Result<ComponentInfo> found = registry.find(table.ref.plugin, kind, table.path, table.ref.place);
    if (!found) {
        problems.push_back(std::move(found).error());
        return part;
    }
    part.info = std::move(*found);
    for (const OptionSchema& own : table_schema(table.schema).keys) {
        const auto& options = part.schema();
        if (std::any_of(options.begin(), options.end(),
                        [&](const OptionSchema& option) { return option.name == own.name; })) {
            problems.push_back(plugin_problem(part.info.name + " has an option '" + own.name + "', which is a key of " +
                                                  table_schema(table.schema).heading + " itself",
                                              table.ref.place));
        }
    }
    part.values = resolve_options(table, part.schema(), problems);
    return part;
}

}  // namespace

Parts find_parts(const Manifest& manifest, const Registry& registry, Problems& problems) {
    Parts parts;
    parts.env = find_part(manifest.env.component, "env", registry, problems);
    for (const ComponentTable& table : manifest.env.transforms) {
        parts.transforms.push_back(find_part(table, "transform", registry, problems));
    }
    for (const PolicyTable& policy : manifest.policies) {
        parts.policies.push_back(find_part(policy.component, "policy", registry, problems));
    }
    if (manifest.exploration) {
        parts.exploration = find_part(*manifest.exploration, "policy", registry, problems);
    }
    if (manifest.buffer) {
        parts.buffer = find_part(manifest.buffer->component, "buffer", registry, problems);
    }
    for (const ComponentTable& table : manifest.objectives) {
        parts.objectives.push_back(find_part(table, "objective", registry, problems));
    }
    return parts;
}

void load_parts(Parts& parts, Registry& registry, const tn_host& host, Problems& problems) {
    each_part(parts, [&](Part& part) {
        if (part.info.note == nullptr) {
            return;
        }
        Result<LoadedComponent> loaded = registry.load(part.info, host);
        if (loaded) {
            part.loaded = *loaded;
        } else {
            problems.push_back(std::move(loaded).error());
        }
    });
}

Result<Instance> instantiate(const Part& part, std::uint32_t lanes, std::uint64_t seed, std::string_view stream) {
    const tn_key key = make_key(seed, std::string(stream) + part.table->path);
    return Instance::create(*part.loaded, part.values, lanes, key, part.table->ref.place);
}

}  // namespace tenon
