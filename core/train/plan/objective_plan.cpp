// SPDX-License-Identifier: Apache-2.0
#include "train/plan/objective_plan.hpp"

#include <algorithm>

namespace tenon {

bool ObjectivePlan::writes(std::string_view key) const {
    return std::ranges::find(prepare.outputs, key, &Port::key) != prepare.outputs.end();
}

bool ObjectivePlan::reads(std::string_view key) const {
    bool found = false;
    each_program(*this, [&](const BuiltProgram& program) {
        found = found || std::ranges::find(program.inputs, key, &Port::key) != program.inputs.end();
    });
    return found;
}

std::vector<std::string> metrics_of(const ObjectivePlan& plan) {
    std::vector<std::string> out;
    each_program(plan, [&](const BuiltProgram& program) {
        for (const graph::Named& metric : program.graph.metrics) {
            out.push_back(metric.name);
        }
    });
    return out;
}

}  // namespace tenon
