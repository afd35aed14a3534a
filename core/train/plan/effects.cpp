// SPDX-License-Identifier: Apache-2.0
#include "train/plan/effects.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// A priority must be one real number per row.
void check_priority(const ObjectivePlan& plan, const graph::Named& write, Problems& problems) {
    const graph::Type& type = plan.update.graph.type(write.value);
    if (type.kind != graph::Kind::kReal || !type.sizes().empty()) {
        refuse(plan.unit, "writes " + plan.update.graph.symbols.text(type) + " as the rows' priority",
               "which must be one real number per row", problems);
    }
}

}  // namespace

void refuse(const graph::Unit& objective, const std::string& wish, const std::string& why, Problems& problems) {
    problems.push_back(input_problem(objective.component + " " + wish + ", " + why, objective.place));
}

void check_effects(const ObjectivePlan& plan, const BuiltProgram& program, Problems& problems) {
    const bool prepares = &program == &plan.prepare;
    const bool updates = &program == &plan.update;
    for (const graph::Named& write : program.graph.writes) {
        if (updates && write.name == kPriority) {
            check_priority(plan, write, problems);
        } else if (!prepares) {
            const std::vector<std::string_view> known = {kPriority};
            refuse(plan.unit, "writes the column '" + write.name + "' in its function " + program.name,
                   updates ? "but an update writes only 'priority'; write columns in prepare" +
                                 did_you_mean(write.name, known)
                           : "which no other program of the run reads; write columns in prepare",
                   problems);
        }
    }
    const std::vector<std::string_view> known = {kStopEpochs, kSkipUpdate};
    for (const graph::Named& control : program.graph.controls) {
        const std::string wish = "controls the run ('" + control.name + "')";
        if (std::find(known.begin(), known.end(), control.name) == known.end()) {
            refuse(plan.unit, wish,
                   "but the only controls are stop_epochs and skip_update" + did_you_mean(control.name, known),
                   problems);
        } else if (!updates) {
            refuse(plan.unit, wish + " in its function " + program.name, "but controls belong in update", problems);
        }
    }
    for (const graph::Named& metric : program.graph.metrics) {
        const auto same = [&](const graph::Named& other) { return other.name == metric.name; };
        const auto& first = plan.update.graph.metrics;
        const auto& second = plan.prepare.graph.metrics;
        if ((!updates && std::any_of(first.begin(), first.end(), same)) ||
            (!updates && !prepares && std::any_of(second.begin(), second.end(), same))) {
            refuse(plan.unit, "has the metric '" + metric.name + "' in its function " + program.name,
                   "and another function has one of the same name", problems);
        }
    }
}

void settle_priority(const Wiring& w, ObjectivePlan& plan) {
    if (plan.update.failed) {
        return;  // it then has no outputs
    }
    const auto& buffer = plan.batches.front().buffer;
    const bool takes_priorities = buffer && w.buffers[*buffer].takes_priorities;
    auto& writes = plan.update.graph.writes;
    for (std::size_t i = 0; i < writes.size(); ++i) {
        if (writes[i].name == kPriority && takes_priorities) {
            plan.update.outputs[i].dtype = DType::kF64;
        } else if (writes[i].name == kPriority) {
            writes.erase(writes.begin() + static_cast<std::ptrdiff_t>(i));
            plan.update.outputs.erase(plan.update.outputs.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
    }
}

}  // namespace tenon
