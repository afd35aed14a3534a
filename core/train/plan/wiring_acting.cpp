// SPDX-License-Identifier: Apache-2.0
#include "train/plan/wiring_acting.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "compute/graph/builder.hpp"
#include "experience/env/procedural.hpp"
#include "tenon/abi/policy.h"
#include "train/plan/acting_units.hpp"
#include "train/plan/written_columns.hpp"

namespace tenon {
namespace {

std::vector<graph::Column> columns_at_root(const Composite& specs, std::string_view writer) {
    std::vector<graph::Column> out;
    for (const Spec& spec : specs.specs) {
        if (!is_outcome(spec.role)) {
            out.push_back({spec, std::string(writer)});
        }
    }
    return out;
}

Spec begins_spec() {
    Spec spec;
    spec.key = "is_init";
    spec.kind = SpecKind::kBinary;
    spec.role = Role::kExtra;
    spec.dtype = DType::kBool;
    return spec;
}

// The function of the policies that evaluations use, if it is not the mode.
void wire_evaluating(Wiring& w, const std::vector<ActingUnit>& acting, const BuildSite& site, Problems& problems) {
    const std::string& actions = w.manifest.eval.actions;
    if (actions == "mode") {
        return;
    }
    for (const ActingUnit& one : acting) {
        if (graph::find_function(*one.policy, actions) == nullptr) {
            problems.push_back(input_problem("'" + actions + "' actions are set, but " + one.policy->component +
                                                 " has no such function; it has mode and sample",
                                             place_of(w.manifest, "eval.actions")));
            return;
        }
    }
    w.evaluate = build_act(site, acting, actions, false, w.act_columns, problems);
}

// Why the first policy with a function sample cannot act; empty: no policy has one.
std::string why_none_acts(const std::vector<graph::Unit>& networks) {
    for (const graph::Unit& unit : networks) {
        if (const tn_function* sample = graph::find_function(unit, "sample")) {
            return "[policy." + unit.role + "] is " + unit.component +
                   (graph::find_function(unit, "mode") == nullptr
                        ? ", which has no function mode"
                        : ", whose function sample has the outputs " + std::string(sample->outputs));
        }
    }
    return {};
}

// The cause of the missing outputs has been reported.
void tell_missing_outputs(const Wiring& w, const std::vector<ActingUnit>& acting, const BuildSite& site) {
    for (const ObjectivePlan& plan : w.objectives) {
        for (const ActingUnit& one : acting) {
            for (const std::string_view name :
                 graph::split_names(graph::find_function(*one.policy, "sample")->outputs)) {
                site.told->insert(graph::mark_of_column(plan.unit.role, name));
            }
        }
    }
}

// A planner steps copies of the env, which are made of saved state.
void check_copies(const Wiring& w, const Running& running, Problems& problems) {
    const std::vector<std::string> without = running.lanes->without_state();
    if (w.procedure->loaded->offers("tenon.planner/1") && !without.empty()) {
        problems.push_back(input_problem(w.procedure->info.name + " plans by stepping copies of the env, but " +
                                             without.front() + " cannot save the state that a copy is made of",
                                         w.procedure->table->ref.place));
    }
}

// Builds the program of a planner's guide: the function of a network that gives priors of actions and values for the
// states of the planner's copies.
void wire_guide(Wiring& w, const BuildSite& site, Problems& problems) {
    const auto guide = std::ranges::find_if(
        w.networks, [](const graph::Unit& unit) { return graph::find_function(unit, "guide") != nullptr; });
    if (guide == w.networks.end() || !w.procedure->loaded->offers("tenon.planner/1")) {
        return;
    }
    const auto assemble = [&](graph::Builder& builder) {
        const std::vector<graph::ValueId> values = builder.build(*guide, "guide", {}, "eval");
        const auto names = graph::split_names(graph::find_function(*guide, "guide")->outputs);
        for (std::size_t i = 0; i < values.size(); ++i) {
            builder.write(std::string(names[i]), values[i]);
        }
    };
    w.guide = build_by_hand(site, "guide", columns_at_root(w.env_specs, "env"), assemble, problems);
}

}  // namespace

void wire_acting(Wiring& w, Host& host, const Running& running, const BuildSite& site, Problems& problems) {
    const std::vector<ActingUnit> acting = acting_units(w);
    if (acting.empty()) {
        if (w.procedure != nullptr) {
            const auto policy = Callee<tn_policy_api>::of(*running.procedure, "tenon.policy/1");
            is_done(ProceduralPolicy::make(policy, w.env_specs, host.pool), problems);
            check_copies(w, running, problems);
            wire_guide(w, site, problems);
        } else if (!w.manifest.policies.empty()) {
            problems.push_back(input_problem(
                "no policy gives an action: one [policy.NAME] must be a component with a function mode and "
                "a function sample that has the output action",
                w.manifest.place, why_none_acts(w.networks)));
        }
        return;
    }
    w.act_columns = columns_at_root(w.env_specs, "env");
    w.act_columns.push_back({begins_spec(), "env"});
    const std::size_t before = problems.size();
    w.act = build_act(site, acting, "sample", true, w.act_columns, problems);
    if (w.act.failed) {
        tell_missing_outputs(w, acting, site);
    }
    if (problems.size() == before) {
        w.mode = build_act(site, acting, "mode", false, w.act_columns, problems);
        wire_evaluating(w, acting, site, problems);
    }
}

std::vector<graph::Column> columns_of_acting(const Wiring& w, const BuiltProgram& program) {
    const std::vector<ActingUnit> acting = acting_units(w);
    std::vector<graph::Column> out;
    for (const Port& port : program.outputs) {
        const bool memory =
            std::ranges::find(program.remembered, port.key) != program.remembered.end() ||
            std::ranges::find(program.graph.histories, port.key, &graph::Memory::key) != program.graph.histories.end();
        if (w.env_specs.find(port.key) == nullptr && !memory) {
            out.push_back({computed_spec(port, Role::kState), "policy." + acting_for(acting, port.key).policy->role});
        }
    }
    std::ranges::move(memory_columns(program, w.real()), std::back_inserter(out));
    return out;
}

bool Wiring::offers_version() const {
    return acts_by_graph() && env_specs.find(kPolicyVersion) == nullptr &&
           std::ranges::find(act.outputs, kPolicyVersion, &Port::key) == act.outputs.end();
}

std::vector<graph::Column> columns_of_collecting(const Wiring& w) {
    std::vector<graph::Column> out = columns_of_acting(w, w.act);
    if (w.offers_version()) {
        out.push_back({computed_spec({std::string(kPolicyVersion), DType::kI64, {}}, Role::kState), "the run"});
    }
    return out;
}

void wire_versions(Wiring& w) {
    const std::string version = w.acts_by_version() ? "behaviour" : w.manifest.parameter_noise ? "perturbed" : "";
    if (version.empty()) {
        return;
    }
    w.act = with_version(std::move(w.act), version);
    for (const std::string& role : networks_of(w.act.graph)) {
        w.layouts.copies.emplace(role, parameter_slab(version));
    }
}

}  // namespace tenon
