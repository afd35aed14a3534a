// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/readers.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error/listed.hpp"

namespace tenon {
namespace {

void read_batches(Manifest& manifest, Problems& problems, const FoundTable& found, ObjectiveTable& objective) {
    if (found.table == nullptr || found.table->find("batches") == nullptr) {
        return;
    }
    const FoundTable batches = find_table(manifest, problems, found, "batches");
    for (std::size_t i = 0; batches.table != nullptr && i < batches.table->entries.size(); ++i) {
        const TomlEntry& entry = batches.table->entries[i];
        const std::string path = path_of(batches.path, entry.key);
        manifest.given[path] = entry.node.place;
        const auto* const buffer = std::get_if<std::string>(&entry.node.value);
        if (buffer == nullptr) {
            problems.push_back(
                input_problem(path + " must be the name of a buffer, but is " + std::string(phrase_of(entry.node)),
                              entry.node.place));
        } else if (entry.key == "next" || entry.key == "stored") {
            problems.push_back(
                input_problem("a batch cannot have the name '" + entry.key + "': names of columns begin with it",
                              entry.node.key_place));
        } else if (check_name(batches.path, entry.key, entry.node.key_place, problems)) {
            objective.batches.push_back({entry.key, *buffer});
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
    const TableReader reader(manifest, problems, table_schema("objective"), found, {"batches"});
    ObjectiveTable objective;
    objective.component = reader.component();
    reader.fill(objective);
    read_batches(manifest, problems, found, objective);
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
    }
}

}  // namespace tenon
