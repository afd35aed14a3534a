// SPDX-License-Identifier: Apache-2.0
#include "train/plan/wiring_acting.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "experience/env/procedural.hpp"
#include "tenon/abi/policy.h"
#include "train/plan/schedules.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/units.hpp"

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

// A procedure reads the env's columns directly from memory, so graph transforms would have no effect.
void refuse_transforms_before_procedure(const Wiring& w, Problems& problems) {
    for (const graph::ColumnTransform& transform : w.transforms) {
        problems.push_back(input_problem(
            transform.unit.component + " is a graph, which only graphs apply when they read a column, but " +
                w.procedure->info.name + " is a procedure and would read the stored values",
            transform.unit.place));
    }
}

// The function of the policy that evaluations use, if it is not the mode.
void wire_evaluating(Wiring& w, const graph::Unit& acts, const BuildSite& site, Problems& problems) {
    const std::string& actions = w.manifest.eval.actions;
    if (actions == "mode") {
        return;
    }
    if (graph::find_function(acts, actions) == nullptr) {
        problems.push_back(input_problem("'" + actions + "' actions are set, but " + acts.component +
                                             " has no such function; it has mode and sample",
                                         place_of(w.manifest, "eval.actions")));
        return;
    }
    w.evaluate = build_act(site, acts, actions, false, nullptr, w.act_columns, problems);
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

// Parameter noise compares actions with and without noise for each state, and adapts one scale.
void check_parameter_noise(const Wiring& w, Problems& problems) {
    if (!w.manifest.parameter_noise) {
        return;
    }
    const auto refuse = [&](const std::string& why) {
        problems.push_back(input_problem("[parameter_noise] " + why, place_of(w.manifest, "parameter_noise")));
    };
    if (w.procedure != nullptr) {
        refuse("adds noise to a network's parameters, but " + w.procedure->info.name + " has none");
    } else if (w.env_specs.find("action") == nullptr) {
        refuse("compares actions of one column, but the env takes several");
    } else if (!w.mode.remembered.empty()) {
        refuse("compares actions state by state, but the policy has a memory");
    }
    if (w.manifest.parameter_noise->target > 0 && schedule_of(w.manifest, "parameter_noise.sigma") != nullptr) {
        problems.push_back(
            input_problem("schedule.parameter_noise.sigma changes what parameter_noise.target adapts; schedule that "
                          "instead, or set it to 0",
                          place_of(w.manifest, "schedule.parameter_noise.sigma")));
    }
}

// While frames are collected, the parameters that act may be older than the newest ones.
void check_lag(const Wiring& w, Problems& problems) {
    if (w.lag() == 0) {
        return;
    }
    const auto refuse = [&](const std::string& why) {
        problems.push_back(input_problem("collector.lag " + why, place_of(w.manifest, "collector.lag")));
    };
    if (w.procedure != nullptr) {
        refuse("is for networks that learn, but " + w.procedure->info.name + ", which acts, has no parameters");
    } else if (w.objectives.empty()) {
        refuse("lets acting lag behind learning, but the run has no [objective]");
    } else if (w.manifest.parameter_noise) {
        refuse("and [parameter_noise] both choose the parameters that act; remove one of them");
    }
}

// If updates do not run while lanes step, only collector.lag makes acting use older parameters.
void check_max_lag(const Wiring& w, Problems& problems) {
    if (!w.manifest.collector || !w.manifest.collector->max_lag) {
        return;
    }
    const auto refuse = [&](const std::string& why, std::string help) {
        problems.push_back(
            input_problem("collector.max_lag " + why, place_of(w.manifest, "collector.max_lag"), std::move(help)));
    };
    if (!w.collects_async()) {
        refuse("bounds the updates that are made while frames are collected, but with collector.kind = \"" +
                   w.manifest.collector->kind + "\" there are none",
               "set collector.kind = \"async\" or \"processes\", or remove max_lag");
    } else if (w.lag() > 0) {
        refuse("and collector.lag both say how old the parameters are that act", "remove one of them");
    } else if (w.procedure != nullptr) {
        refuse("is for networks that learn, but " + w.procedure->info.name + ", which acts, has no parameters",
               "remove max_lag");
    }
}

// While another thread collects, samplers see the frames collected before, and nothing else may read or write the
// storage.
void check_collects_async(const Wiring& w, Problems& problems) {
    if (!w.collects_async()) {
        return;
    }
    const auto refuse = [&](const std::string& why, const std::string& key, std::string help = {}) {
        problems.push_back(input_problem("collector.kind = \"" + w.manifest.collector->kind + "\" " + why,
                                         place_of(w.manifest, key), std::move(help)));
    };
    if (w.objectives.empty()) {
        refuse("collects while the run learns, but the run has no [objective]", "collector.kind");
    } else if (w.manifest.parameter_noise) {
        refuse("and [parameter_noise] both choose the parameters that act; remove one of them", "collector.kind");
    }
    if (!w.manifest.hooks.empty()) {
        refuse("cannot be combined with [[hooks]], which need frames and updates in their order", "collector.kind");
    }
    for (const ObjectivePlan& plan : w.objectives) {
        if (plan.by_batch()) {
            refuse("is for objectives that learn from a buffer, but " + plan.unit.component +
                       " learns from the frames of its round",
                   "collector.kind", "to act with earlier parameters, set collector.lag");
        } else if (plan.prepare.exists()) {
            refuse("cannot be combined with " + plan.unit.component + ", which computes columns of new frames",
                   "collector.kind");
        }
    }
    const BufferPlan* const buffer = w.collecting();
    const std::int64_t steps = w.manifest.train.batch / std::max<std::int64_t>(w.manifest.env.lanes, 1);
    if (buffer != nullptr && !buffer->keeps() && storage_slots(w) - 1 <= 2 * steps) {
        refuse("needs a buffer of more than two rounds, which are " + std::to_string(2 * w.manifest.train.batch) +
                   " frames, for the oldest frames make room while the updates are made",
               buffer->table->component.path + ".capacity");
    }
}

}  // namespace

void wire_acting(Wiring& w, Host& host, const Running& running, const BuildSite& site, Problems& problems) {
    const auto acts = std::find_if(w.networks.begin(), w.networks.end(), acts_with_action);
    if (acts == w.networks.end()) {
        if (w.procedure != nullptr) {
            refuse_transforms_before_procedure(w, problems);
            if (w.manifest.eval.actions == "mean") {
                problems.push_back(
                    input_problem("'mean' actions are set, which only policies that are graphs have, but " +
                                      w.procedure->info.name + " is a procedure",
                                  place_of(w.manifest, "eval.actions")));
            }
            const auto policy = Callee<tn_policy_api>::of(*running.procedure, "tenon.policy/1");
            is_done(ProceduralPolicy::make(policy, w.env_specs, host.pool), problems);
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
    w.act = build_act(site, *acts, "sample", true, w.exploration ? &*w.exploration : nullptr, w.act_columns, problems);
    for (const ObjectivePlan& plan : w.objectives) {
        for (const std::string_view name : graph::split_names(graph::find_function(*acts, "sample")->outputs)) {
            if (w.act.failed) {  // the cause of the missing outputs has been reported
                site.told->insert(graph::mark_of_column(plan.unit.role, name));
            }
        }
    }
    if (problems.size() == before) {
        w.mode = build_act(site, *acts, "mode", false, nullptr, w.act_columns, problems);
        wire_evaluating(w, *acts, site, problems);
    }
}

std::vector<graph::Column> columns_of_acting(const Wiring& w, const BuiltProgram& program) {
    const auto acts = std::find_if(w.networks.begin(), w.networks.end(), acts_with_action);
    std::vector<graph::Column> out;
    for (const Port& port : program.outputs) {
        const bool memory = std::ranges::find(program.remembered, port.key) != program.remembered.end();
        if (w.env_specs.find(port.key) == nullptr && !memory) {
            Spec spec;
            spec.key = port.key;
            spec.role = Role::kState;
            spec.dtype = port.dtype;
            spec.shape = port.row;
            out.push_back({std::move(spec), "policy." + acts->role});
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
        Spec spec;
        spec.key = kPolicyVersion;
        spec.role = Role::kState;
        spec.dtype = DType::kI64;
        out.push_back({std::move(spec), "the run"});
    }
    return out;
}

void check_versions(const Wiring& w, Problems& problems) {
    check_parameter_noise(w, problems);
    check_lag(w, problems);
    check_max_lag(w, problems);
    check_collects_async(w, problems);
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
