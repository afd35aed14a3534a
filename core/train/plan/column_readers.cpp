// SPDX-License-Identifier: Apache-2.0
#include "train/plan/column_readers.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/data/key.hpp"
#include "base/error/listed.hpp"
#include "train/plan/acting_units.hpp"
#include "train/plan/units.hpp"

namespace tenon {
namespace {

bool reads_column(const BuiltProgram& program, const std::string& key) {
    // One step later, every column is read under "next."; the flags of an episode's end are also read as next.done.
    return std::any_of(program.inputs.begin(), program.inputs.end(), [&](const Port& port) {
        return port.key == key || port.key == next_key(key) || (is_end_flag(key) && port.key == kNextDone);
    });
}

// Whether a transform names the column in an option without changing it: it may end episodes by it, or make another
// column from it.
bool looks_at(const Part& part, const Lanes& lanes, std::size_t transform, const std::string& key) {
    if (!names_column(part, key)) {
        return false;
    }
    const std::optional<bool> changes = lanes.changes(transform, key);
    return changes ? !*changes : !lanes.arithmetic(transform, key);
}

// Whether the env takes actions of that group; if it takes none, whether it is no group.
bool acts(const Composite& specs, const std::string& group) {
    bool takes = false;
    bool any = false;
    for (const Spec& spec : specs.specs) {
        any = any || spec.role == Role::kAction;
        takes = takes || (spec.role == Role::kAction && spec.group == group);
    }
    return any ? takes : group.empty();
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

std::string acting_policy(const Wiring& w, const std::string& key) {
    const std::vector<ActingUnit> acting = acting_units(w);
    if (!acting.empty()) {
        return "policy." + acting_for(acting, key).policy->role;
    }
    return w.procedure == nullptr ? "" : w.procedure->table->path;
}

std::string owner_of_memory(const Wiring& w, const std::string& key) {
    const auto memory = std::ranges::find(w.act.graph.memories, key, &graph::Memory::key);
    if (memory == w.act.graph.memories.end()) {
        return "";
    }
    const std::string of_unit = memory->group.empty() ? key : key.substr(memory->group.size() + 1);
    for (const graph::Unit& exploration : w.explorations) {
        if (within(of_unit, exploration.role)) {
            return exploration.role;
        }
    }
    const std::string owner = "policy." + of_unit.substr(0, of_unit.find('.'));
    return owner == acting_policy(w, key) ? owner : owner + " (run while acting)";
}

// The acting policies that may read the column: those of its group, or all of them.
void add_acting(const Wiring& w, const std::string& key, std::vector<std::string>& out) {
    const std::vector<ActingUnit> acting = acting_units(w);
    const bool is_of_one = !acting.empty() && within(key, acting_for(acting, key).policy->group);
    if (acting.size() < 2 || is_of_one) {
        out.push_back(acting_policy(w, key));
        return;
    }
    for (const ActingUnit& one : acting) {
        out.push_back("policy." + one.policy->role);
    }
}

std::vector<std::string> readers_of(const Wiring& w, const Lanes& lanes, const std::string& key, Role role) {
    std::vector<std::string> out;
    const bool procedure = w.procedure != nullptr && !w.acts_by_graph();
    if (procedure ? role == Role::kObservation || role == Role::kState : reads_column(w.act, key)) {
        if (const std::string owner = owner_of_memory(w, key); !owner.empty()) {
            out.push_back(owner);
        } else {
            add_acting(w, key, out);
        }
    }
    for (const ObjectivePlan& plan : w.objectives) {
        if (reads_column(plan.update, key) || reads_column(plan.prepare, key) || reads_column(plan.conclude, key)) {
            out.emplace_back(plan.unit.role);
        }
    }
    for (const BufferPlan& buffer : w.buffers) {
        const SamplerPlan& sampling = buffer.sampling;
        const bool chooses_by = std::ranges::find(sampling.reads, key, &ColumnRead::key) != sampling.reads.end();
        const bool gathers = std::ranges::any_of(
            sampling.lines, [&](const GatherLine& line) { return line.source == key || line.source == next_key(key); });
        if (chooses_by || gathers) {
            out.push_back(buffer.table->component.path);
        }
    }
    for (std::size_t i = 0; i < w.hooks.size(); ++i) {
        const std::vector<std::string>& read = w.hooks[i].columns;
        if (std::ranges::find(read, key, without_next) != read.end()) {
            out.push_back(w.manifest.hooks[i].component.path);
        }
    }
    std::size_t procedures = 0;
    for (const Part& part : w.parts.training.transforms) {
        if (!is_graph_transform(part) && looks_at(part, lanes, procedures++, key)) {
            out.push_back(part.table->path);
        }
    }
    return out;
}

std::vector<std::string> unread_columns(const Wiring& w, const Lanes& lanes) {
    std::vector<std::string> out;
    for (const Spec& spec : w.env_specs.specs) {
        const bool is_seen = spec.role == Role::kObservation && acts(w.env_specs, spec.group);
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
