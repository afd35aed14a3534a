// SPDX-License-Identifier: Apache-2.0
#include "train/plan/column_readers.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/data/key.hpp"
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

}  // namespace

std::string acting_policy(const Wiring& w) {
    const auto acts = std::find_if(w.networks.begin(), w.networks.end(), acts_with_action);
    if (acts != w.networks.end()) {
        return "policy." + acts->role;
    }
    return w.procedure == nullptr ? "" : w.procedure->table->path;
}

std::string owner_of_memory(const Wiring& w, const std::string& key) {
    const auto memory = std::ranges::find(w.act.graph.memories, key, &graph::Memory::key);
    if (memory == w.act.graph.memories.end()) {
        return "";
    }
    const std::string of_unit = memory->group.empty() ? key : key.substr(memory->group.size() + 1);
    const std::string role = of_unit.substr(0, of_unit.find('.'));
    const std::string acting = acting_policy(w);
    return w.exploration && role == w.exploration->role ? role
           : "policy." + role == acting                 ? acting
                                                        : "policy." + role + " (run while acting)";
}

std::vector<std::string> readers_of(const Wiring& w, const Lanes& lanes, const std::string& key, Role role) {
    std::vector<std::string> out;
    const bool procedure = w.procedure != nullptr && !w.acts_by_graph();
    if (procedure ? role == Role::kObservation || role == Role::kState : reads_column(w.act, key)) {
        const std::string owner = owner_of_memory(w, key);
        out.push_back(owner.empty() ? acting_policy(w) : owner);
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

}  // namespace tenon
