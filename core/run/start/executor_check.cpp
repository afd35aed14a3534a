// SPDX-License-Identifier: Apache-2.0
#include "run/start/executor_check.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "compute/exec/fused_nodes.hpp"
#include "config/manifest/pace.hpp"
#include "engines/compiled/executor.hpp"
#include "train/plan/update_device.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// The programs that a run computes, in the order in which it makes them.
std::vector<const BuiltProgram*> computed_programs(const Wiring& w) {
    std::vector<const BuiltProgram*> out;
    const auto add = [&](const BuiltProgram& program, bool wanted) {
        if (wanted && program.exists() && std::ranges::find(out, &program) == out.end()) {
            out.push_back(&program);
        }
    };
    add(w.mode, w.manifest.parameter_noise.has_value());
    add(w.act, w.acts_by_graph());
    for (const ObjectivePlan& plan : w.objectives) {
        add(plan.prepare, true);
        add(plan.update, true);
        add(plan.conclude, true);
    }
    add(w.evaluating(), w.acts_by_graph() && every(w.manifest.eval) > 0);
    return out;
}

// The objective whose update this program is; null if it is another program.
const ObjectivePlan* updated_by(const Wiring& w, const BuiltProgram* program) {
    const auto plan =
        std::ranges::find_if(w.objectives, [&](const ObjectivePlan& one) { return &one.update == program; });
    return plan == w.objectives.end() ? nullptr : &*plan;
}

}  // namespace

void check_executor(const Wiring& w, Problems& problems) {
    for (const BuiltProgram* program : computed_programs(w)) {
        if (updated_by(w, program) != nullptr) {
            continue;  // wiring has checked kernels that need a gradient
        }
        for (Problem& problem : check_fused(program->graph, w.real())) {
            problems.push_back(brought_in(std::move(problem), program->place));
        }
    }
    if (!problems.empty() || w.manifest.run.executor != "compiled") {
        return;
    }
    const Result<Learner> learner = learner_without_values(w);
    if (!learner) {
        problems.push_back(learner.error());
        return;
    }
    for (const BuiltProgram* program : computed_programs(w)) {
        const auto seed = static_cast<std::uint64_t>(w.manifest.run.seed);
        const ObjectivePlan* const plan = updated_by(w, program);
        const std::span<const StagePlan> stages =
            plan != nullptr ? std::span<const StagePlan>(plan->stages) : std::span<const StagePlan>();
        Status compiles = brought_in(compiled::must_compile(program->spec(seed), stages, *learner), program->place);
        if (!compiles) {
            problems.push_back(std::move(compiles).error());
        }
    }
}

}  // namespace tenon
