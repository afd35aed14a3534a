// SPDX-License-Identifier: Apache-2.0
#include "train/plan/unread_columns.hpp"

#include <algorithm>
#include <cstddef>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "train/plan/column_readers.hpp"

namespace tenon {
namespace {

std::string acting_group(const Composite& specs) {
    const auto action = std::ranges::find(specs.specs, Role::kAction, &Spec::role);
    return action == specs.specs.end() ? "" : action->group;
}

// The number of dimensions for one agent; a number counts as a vector.
std::size_t dimensions(const Spec& spec) {
    const std::size_t rank = spec.shape.rank - (spec.group.empty() ? 0 : 1);
    return std::max<std::size_t>(rank, 1);
}

// Whether a network that reads the column `name` could read the unread one as well. Columns that networks provide are
// vectors.
bool is_alike(const Wiring& w, const std::string& name, const Spec& unread) {
    for (const std::string& key : {name, join_keys(unread.group, name)}) {
        if (const Spec* const spec = w.env_specs.find(key)) {
            return spec->role == Role::kObservation && dimensions(*spec) == dimensions(unread);
        }
    }
    const bool is_provided = std::ranges::any_of(w.networks, [&](const graph::Unit& network) {
        return std::ranges::find(network.provides, name, &graph::ProvidedColumn::key) != network.provides.end();
    });
    return is_provided && dimensions(unread) == 1;
}

// The options of networks that list columns like the unread one: "policy.actor.in".
std::vector<std::string> options_for(const Wiring& w, const Spec& unread) {
    std::vector<std::string> out;
    for (const Part& part : w.parts.policies) {
        for (std::size_t i = 0; i < part.values.size(); ++i) {
            const auto* const names = std::get_if<std::vector<std::string>>(&part.values[i]);
            if (names && std::ranges::any_of(*names, [&](const auto& name) { return is_alike(w, name, unread); })) {
                out.push_back(part.table->path + "." + part.schema()[i].name);
            }
        }
    }
    return out;
}

}  // namespace

std::vector<std::string> unread_columns(const Wiring& w, const Lanes& lanes) {
    std::vector<std::string> out;
    const std::string group = acting_group(w.env_specs);
    for (const Spec& spec : w.env_specs.specs) {
        const bool is_seen = spec.role == Role::kObservation && spec.group == group;
        const bool is_of_env = lanes.env_info().specs.find(spec.key) != nullptr;
        if (w.learns() && is_seen && is_of_env && readers_of(w, lanes, spec.key, spec.role).empty()) {
            out.push_back(spec.key);
        }
    }
    return out;
}

void warn_of_unread(const Wiring& w, Problems& warnings) {
    for (const std::string& key : w.unread) {
        const Spec& spec = *w.env_specs.find(key);
        const std::string name = spec.group.empty() ? key : key.substr(spec.group.size() + 1);
        const std::vector<std::string> options = options_for(w, spec);
        warnings.push_back(input_problem(
            "the env observes '" + key + "', but no network, objective, buffer, transform or hook reads it",
            place_of(w.manifest, "env"),
            options.empty() ? "give the run a network that reads columns of this shape"
                            : "add '" + name + "' to the columns that a network reads: " + listed(options)));
    }
}

}  // namespace tenon
