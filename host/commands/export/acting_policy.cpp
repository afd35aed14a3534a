// SPDX-License-Identifier: Apache-2.0
#include "commands/export/acting_policy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "train/loop/snapshot.hpp"
#include "train/plan/units.hpp"

namespace tenon {
namespace {

Problem refusal(const Part& part) {
    return input_problem("the policy cannot be exported: its transform " + part.info.name +
                             " is a procedure, which an exported file does not contain",
                         part.table->ref.place, "train with a transform that is a graph or numbers, or without it");
}

// A transform that is a procedure belongs to the lanes of an env, which an exported file does not have. A transform
// that describes itself as numbers is part of the file.
Status read_chains(ActingPolicy& out) {
    Lanes& lanes = *out.setup.running.lanes;
    std::size_t procedures = 0;
    for (const Part& part : out.wiring().parts.training.transforms) {
        if (is_graph_transform(part)) {
            continue;
        }
        const std::size_t number = procedures++;
        const bool acts = std::ranges::any_of(out.wiring().env_specs.specs, [&](const Spec& spec) {
            return spec.role == Role::kAction && may_change(part, lanes, number, spec.key);
        });
        if (acts) {
            return refusal(part);
        }
        for (const Port& port : out.program().inputs) {
            if (!may_change(part, lanes, number, port.key)) {
                continue;
            }
            if (!part.loaded->offers("tenon.arithmetic/1")) {
                return refusal(part);
            }
            TENON_TRY(out.chains.empty() ? restore_transforms(lanes, out.checkpoint) : Status());
            ColumnStep step = TENON_TRY(lanes.arithmetic(number, port.key));
            auto chain = std::ranges::find(out.chains, port.key, &InputChain::key);
            if (chain == out.chains.end()) {
                chain = out.chains.insert(out.chains.end(), {.key = port.key, .steps = {}});
            }
            chain->steps.push_back(std::move(step));
        }
    }
    return {};
}

Status restore(ActingPolicy& out) {
    const Wiring& wiring = out.wiring();
    if (!wiring.acts_by_graph()) {
        return input_problem("the policy cannot be exported: it is a procedure of a plugin, not a graph");
    }
    TENON_TRY(read_chains(out));
    out.learner = TENON_TRY(learner_at(wiring, out.checkpoint));
    const Origin origin = TENON_TRY(origin_of(out.checkpoint));
    out.standing = origin.standing;
    out.live = live_at(wiring.live, out.standing);
    return {};
}

}  // namespace

Status lower(ActingPolicy& out) {
    const BuiltProgram& program = out.program();
    const ProgramSpec spec = program.spec(0);
    out.plan = TENON_TRY(brought_in(make_plan(spec, {}, out.learner, widest_variant(spec, {})), program.place));
    Result<compiled::ExportedProgram> lowered =
        compiled::export_program(spec, out.learner, out.plan, {.rows = 0, .time = 0, .lanes = 1});
    if (!lowered) {
        Problem problem = std::move(lowered).error();
        problem.sentence = "the policy cannot be exported: " + problem.sentence;
        return brought_in(std::move(problem), program.place);
    }
    out.lowered = std::move(*lowered);
    return {};
}

std::unique_ptr<ActingPolicy> open_policy(const RunRequest& request, const Notice& notice, Problems& problems) {
    std::optional<OpenedRun> opened = open_run(request, "exported", notice, problems);
    if (!opened) {
        return nullptr;
    }
    auto out = std::make_unique<ActingPolicy>();
    out->checkpoint = opened->checkpoint.folder;
    out->setup = std::move(opened->setup);
    if (!is_done(restore(*out), problems)) {
        return nullptr;
    }
    return out;
}

}  // namespace tenon
