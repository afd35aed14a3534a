// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/readers.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"

namespace tenon {
namespace {

// Calls f(entry, text) for each key of a table of names in the objective, such as `batches`.
template <class F>
void each_name(Manifest& manifest, Problems& problems, const FoundTable& found, std::string_view table,
               const char* what, F f) {
    if (found.table == nullptr || found.table->find(table) == nullptr) {
        return;
    }
    const FoundTable names = find_table(manifest, problems, found, table);
    for (std::size_t i = 0; names.table != nullptr && i < names.table->entries.size(); ++i) {
        const TomlEntry& entry = names.table->entries[i];
        const std::string path = path_of(names.path, entry.key);
        manifest.given[path] = entry.node.place;
        const auto* const text = std::get_if<std::string>(&entry.node.value);
        if (text == nullptr) {
            problems.push_back(input_problem(
                path + " must be the name of a " + what + ", but is " + std::string(phrase_of(entry.node)),
                entry.node.place));
            f(entry, "");
        } else if (check_name(names.path, entry.key, entry.node.key_place, problems)) {
            f(entry, *text);
        }
    }
}

void read_names(Manifest& manifest, Problems& problems, const FoundTable& found, ObjectiveTable& objective) {
    each_name(manifest, problems, found, "batches", "buffer", [&](const TomlEntry& entry, const std::string& buffer) {
        if (entry.key == "next" || entry.key == "stored") {
            problems.push_back(
                input_problem("a batch cannot have the name '" + entry.key + "': names of columns begin with it",
                              entry.node.key_place));
        } else if (!buffer.empty()) {
            objective.batches.push_back({entry.key, buffer});
        }
    });
    each_name(manifest, problems, found, "networks", "policy", [&](const TomlEntry& entry, const std::string& network) {
        objective.networks.push_back({entry.key, network});
    });
}

void check_networks(const Manifest& manifest, const ObjectiveTable& objective, Problems& problems) {
    for (const RoleTable& each : objective.networks) {
        const bool exists =
            std::ranges::find(manifest.policies, each.network, &PolicyTable::name) != manifest.policies.end();
        if (!exists && !each.network.empty()) {
            const std::string path = objective.component.path + ".networks." + each.role;
            const auto names = mapped<std::string_view>(manifest.policies, &PolicyTable::name);
            problems.push_back(input_problem(path + " is \"" + each.network + "\", but the manifest has no [policy." +
                                                 each.network + "]" + did_you_mean(each.network, names),
                                             place_of(manifest, path)));
        }
    }
}

std::string listed_buffers(const Manifest& manifest) {
    return manifest.buffers.empty() || manifest.buffers.front().name.empty()
               ? "the run has no [buffer.NAME]"
               : "the run has: " + listed(manifest.buffers, &BufferTable::name);
}

void check_buffer(const Manifest& manifest, const std::string& path, const std::string& name, Problems& problems) {
    if (name.empty() || find_buffer(manifest, name) == nullptr) {
        problems.push_back(
            input_problem(path + " is \"" + name + "\", which is no buffer (" + listed_buffers(manifest) + ")",
                          place_of(manifest, path)));
    }
}

void check_name_of(const Manifest& manifest, std::size_t i, Problems& problems) {
    const ObjectiveTable& own = manifest.objectives[i];
    const std::string path = own.component.path + ".name";
    const Place place = place_of(manifest, path);
    if (!own.name) {
        const auto first =
            std::ranges::find_if(manifest.objectives, [](const ObjectiveTable& one) { return !one.name; });
        if (manifest.objectives.size() > 1 && &*first == &own) {
            problems.push_back(input_problem("a run with several objectives needs a name for each", own.component.place,
                                             "write name = \"...\" in every [[objective]]"));
        }
        return;
    }
    if (!check_name(own.component.path, *own.name, place, problems)) {
        return;
    }
    for (std::size_t k = 0; k < i; ++k) {
        if (manifest.objectives[k].name == own.name) {
            problems.push_back(input_problem("two objectives have the name '" + *own.name + "'", place));
            problems.back().also.push_back(place_of(manifest, manifest.objectives[k].component.path + ".name"));
        }
    }
    const auto policy = std::ranges::find(manifest.policies, *own.name, &PolicyTable::name);
    if (policy != manifest.policies.end() || *own.name == "exploration") {
        problems.push_back(input_problem("the objective '" + *own.name + "' has the name of [" +
                                             (*own.name == "exploration" ? "" : "policy.") + *own.name +
                                             "]; give it another one",
                                         place));
    }
}

}  // namespace

void read_objective(Manifest& manifest, Problems& problems, const FoundTable& found) {
    const TableReader reader(manifest, problems, table_schema("objective"), found, {"batches", "networks"});
    ObjectiveTable objective;
    objective.component = reader.component();
    reader.fill(objective);
    read_names(manifest, problems, found, objective);
    manifest.objectives.push_back(std::move(objective));
}

void check_objectives(const Manifest& manifest, Problems& problems) {
    for (std::size_t i = 0; i < manifest.objectives.size(); ++i) {
        const ObjectiveTable& own = manifest.objectives[i];
        check_name_of(manifest, i, problems);
        if (own.buffer) {
            check_buffer(manifest, own.component.path + ".buffer", *own.buffer, problems);
        }
        for (const BatchTable& batch : own.batches) {
            check_buffer(manifest, own.component.path + ".batches." + batch.name, batch.buffer, problems);
        }
        check_networks(manifest, own, problems);
    }
}

}  // namespace tenon
