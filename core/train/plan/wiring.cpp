// SPDX-License-Identifier: Apache-2.0
#include "train/plan/wiring.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "experience/env/procedural.hpp"
#include "tenon/abi/policy.h"
#include "train/plan/env_lanes.hpp"
#include "train/plan/evaluations.hpp"
#include "train/plan/groups.hpp"
#include "train/plan/initial_weights.hpp"
#include "train/plan/keeping.hpp"
#include "train/plan/prefetching.hpp"
#include "train/plan/recorded.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/row_transforms.hpp"
#include "train/plan/schedules.hpp"
#include "train/plan/stages.hpp"
#include "train/plan/stand_ins.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/train_table.hpp"
#include "train/plan/units.hpp"
#include "train/plan/wiring_buffers.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

bool wire_env(Wiring& w, Host& host, Running& running, Problems& problems) {
    const auto lanes = static_cast<std::uint32_t>(w.manifest.env.lanes);
    const auto seed = static_cast<std::uint64_t>(w.manifest.run.seed);
    // Of its own, because lanes may be stepped while a buffer chooses rows in another thread.
    Result<std::shared_ptr<Device>> device(std::shared_ptr<Device>(nullptr));
    if (w.device != nullptr) {
        device = open_device(w.device->name);
    }
    if (!device) {
        problems.push_back(std::move(device).error());
        return false;
    }
    Result<Lanes> made = make_lanes(w.parts.training, w.live, training_lanes(w.parts.training, lanes), seed, "train/",
                                    host.pool, *std::move(device));
    if (!made) {
        problems.push_back(std::move(made).error());
        return false;
    }
    if (Status summed = sum_returns(*made, w.manifest); !summed) {
        problems.push_back(std::move(summed).error());
        return false;
    }
    w.summed = *made->env_info().specs.find(made->summed());
    running.lanes.emplace(std::move(*made));
    w.env_specs = running.lanes->specs();
    w.episode_limit = running.lanes->env_info().episode_limit;
    if (const DeviceEnv* const there = running.lanes->on_device(); there != nullptr) {
        w.stepped_there = there->crossing();
    }
    return true;
}

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

// A column name that networks provide must be unambiguous.
void check_provided_columns(const Wiring& w, Problems& problems) {
    std::vector<std::string_view> seen;
    for (const graph::Unit& network : w.networks) {
        for (const graph::ProvidedColumn& provided : network.provides) {
            const bool twice = std::ranges::find(seen, provided.key) != seen.end();
            if (twice || w.env_specs.find(provided.key) != nullptr) {
                problems.push_back(input_problem(
                    "[policy." + network.role + "] provides the column '" + provided.key + "', which " +
                        (twice ? "another network also provides" : "the env already has") + "; give it another name",
                    place_of(w.manifest, "policy." + network.role + ".out")));
            }
            seen.push_back(provided.key);
        }
    }
}

bool check_transformed_columns(const Wiring& w, Problems& problems) {
    const std::size_t before = problems.size();
    std::vector<std::string_view> known;
    for (const Spec& spec : w.env_specs.specs) {
        if (spec.role != Role::kAction) {
            known.emplace_back(spec.key);
        }
    }
    for (const graph::ColumnTransform& transform : w.transforms) {
        for (const std::string& key : transform.keys) {
            if (std::ranges::find(known, key) == known.end()) {
                const Spec* const action = w.env_specs.find(key);
                problems.push_back(input_problem(
                    transform.unit.component +
                        (action ? " cannot change the action '" + key +
                                      "': it is a graph, which changes columns only where they are read"
                                : " changes the column '" + key + "', which does not exist" + did_you_mean(key, known)),
                    transform.unit.place));
            }
        }
    }
    return problems.size() == before;
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
            if (auto suited = ProceduralPolicy::make(policy, w.env_specs, host.pool); !suited) {
                problems.push_back(std::move(suited).error());
            }
        } else if (!w.manifest.policies.empty()) {
            problems.push_back(
                input_problem("no policy gives an action: one [policy.NAME] must be a component whose function sample "
                              "has the output action",
                              w.manifest.place));
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

// What acts while frames are collected may be another version of its networks than the newest.
void check_collector(const Wiring& w, Problems& problems) {
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

// While another thread collects, samplers see the frames before, and nothing else may read or write the storage.
void check_collects_beside(const Wiring& w, Problems& problems) {
    if (!w.collects_beside()) {
        return;
    }
    const auto refuse = [&](const std::string& why, const std::string& key, std::string help = {}) {
        problems.push_back(
            input_problem("collector.kind = \"async\" " + why, place_of(w.manifest, key), std::move(help)));
    };
    if (w.objectives.empty()) {
        refuse("collects while the run learns, but the run has no [objective]", "collector.kind");
    } else if (w.manifest.parameter_noise) {
        refuse("and [parameter_noise] both choose the parameters that act; remove one of them", "collector.kind");
    }
    if (!w.manifest.hooks.empty()) {
        refuse("is not for runs with [[hooks]], which hear of frames and updates in their order", "collector.kind");
    }
    for (const ObjectivePlan& plan : w.objectives) {
        if (plan.by_batch()) {
            refuse("is for objectives that learn from a buffer, but " + plan.unit.component +
                       " learns from the frames of its round",
                   "collector.kind", "to act with earlier parameters, set collector.lag");
        } else if (plan.prepare.there()) {
            refuse("is not for " + plan.unit.component + ", which computes columns of the frames that have come",
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

void wire_versions(Wiring& w) {
    const std::string version = w.lag() > 0 || (w.collects_beside() && w.acts_by_graph()) ? "behaviour"
                                : w.manifest.parameter_noise                              ? "perturbed"
                                                                                          : "";
    if (version.empty()) {
        return;
    }
    w.act = with_version(std::move(w.act), version);
    for (const std::string& role : networks_of(w.act.graph)) {
        w.layouts.copies.emplace(role, parameter_slab(version));
    }
}

void check_references(const Wiring& w, Problems& problems) {
    for (const PolicyTable& policy : w.manifest.policies) {
        if (policy.reference && !w.layouts.reads(policy.name, ParameterSlab::kReference)) {
            const std::string path = "policy." + policy.name + ".reference";
            problems.push_back(
                input_problem("[" + path + "] has no effect: no objective reads the reference of '" + policy.name + "'",
                              place_of(w.manifest, path)));
        }
    }
}

// The env's columns, and those outputs and memories of policies and outputs of prepare that the objectives' programs
// read of the collected frames, or of a buffer with other ones.
std::vector<StorageColumn> columns_to_store(const Wiring& w, const BufferPlan* other) {
    std::vector<StorageColumn> out = storage_columns(w.env_specs);
    std::vector<graph::Column> candidates = columns_of_acting(w, w.act);
    for (const ObjectivePlan& plan : w.objectives) {
        std::ranges::copy_if(plan.columns, std::back_inserter(candidates),
                             [&](const graph::Column& column) { return plan.writes(column.spec.key); });
    }
    for (const graph::Column& column : candidates) {
        if (learning_wants(w, other, column.spec.key) || (other == w.collecting() && hooks_want(w, column.spec.key))) {
            out.push_back(state_column(column.spec));
        }
    }
    return out;
}

void store_columns(Wiring& w) {
    const BufferPlan* const ring = w.collecting();
    w.stored = columns_to_store(w, ring);
    for (BufferPlan& plan : w.buffers) {
        plan.stored = &plan == ring ? w.stored : columns_to_store(w, &plan);
    }
}

void wire_objectives(Wiring& w, const BuildSite& site, Problems& problems) {
    const std::size_t before = problems.size();
    for (ObjectivePlan& plan : w.objectives) {
        check_minibatch(w, plan, problems);
        plan.stand_ins = stand_ins_of(w, plan);
        BuildSite of_plan = site;
        of_plan.stand_ins = &plan.stand_ins;
        wire_learning(w, plan, of_plan, columns_of_acting(w, w.act), problems);
    }
    const auto has_failed = [](const ObjectivePlan& plan) { return plan.stages.empty(); };
    if (problems.size() == before && !w.objectives.empty() && std::ranges::none_of(w.objectives, has_failed)) {
        std::vector<PlannedStages> planned;
        for (const ObjectivePlan& plan : w.objectives) {
            planned.push_back({plan.name, &plan.update.graph, &plan.stages});
        }
        check_stages(planned, w.layouts, w.manifest, problems);
    }
}

void check_shape_of_run(const Wiring& w, Problems& problems) {
    const Manifest& m = w.manifest;
    check_train(w, problems);
    if (const BufferTable* const ring = collecting_buffer(m);
        ring != nullptr && ring->capacity.bytes == 0 && sizes_are_known(m)) {
        check_capacity(w, ring->capacity.frames, problems);
    }
}

// What bytes hold is known once the columns are.
void check_bytes_of_buffer(const Wiring& w, Problems& problems) {
    const BufferTable* const ring = collecting_buffer(w.manifest);
    if (ring != nullptr && ring->capacity.bytes > 0) {
        check_capacity(w, buffer_frames(w), problems);
    }
}

}  // namespace

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

std::unique_ptr<Wiring> wire(Manifest manifest, Host& host, bool restored, Running& running, Problems& problems) {
    auto w = std::make_unique<Wiring>();
    w->host = &host;
    w->manifest = std::move(manifest);
    w->restored = restored;
    problems.insert(problems.end(), host.registry.problems().begin(), host.registry.problems().end());
    check_shape_of_run(*w, problems);
    w->parts = find_parts(w->manifest, host.registry, problems);
    w->live = make_live(w->manifest, w->parts, problems);
    load_parts(w->parts, w->manifest, host.registry, host.services.table(), problems);
    if (!all_loaded(w->parts)) {
        return w;
    }
    const std::size_t before = problems.size();
    wire_hooks(*w, running, problems);
    make_units(*w, running, problems);
    bool complete = problems.size() == before;
    check_takes_buffer(*w, problems);
    check_stand_ins(*w, problems);
    const std::size_t units = problems.size();
    open_device_of(*w, problems);
    wire_buffers(*w, problems);
    complete = complete && problems.size() == units && has_named_buffers(w->manifest);
    if (!wire_env(*w, host, running, problems)) {
        return w;
    }
    if (problems.size() == units) {
        check_device_is_used(*w, running, problems);
    }
    complete = wire_groups(*w, problems) && complete;
    check_row_transforms(*w, problems);
    check_provided_columns(*w, problems);
    check_episodes(*w, running.lanes->name(), problems);
    std::set<std::string> told;
    std::set<std::string> stood_in;
    const BuildSite site{.networks = &w->networks,
                         .transforms = &w->transforms,
                         .stood_in = &stood_in,
                         .layouts = &w->layouts,
                         .real = w->real(),
                         .groups = &w->groups,
                         .told = &told,
                         .burn_in = w->manifest.train.burn_in,
                         .forgets = w->manifest.train.initial_memory == "zero",
                         .extent = {.rows = w->manifest.env.lanes}};
    if (complete && check_transformed_columns(*w, problems)) {  // otherwise the missing part has been reported
        wire_acting(*w, host, running, site, problems);
        check_parameter_noise(*w, problems);
        check_collector(*w, problems);
        check_collects_beside(*w, problems);
        check_recording(*w, problems);
        if (!w->act.failed || w->act.graph.memories.empty()) {  // otherwise sequences would show the same mistake again
            wire_objectives(*w, site, problems);
        }
    }
    check_evaluations(*w, *running.lanes, host.pool, problems);
    if (problems.empty()) {
        check_stand_ins_are_read(*w, stood_in, problems);
        check_references(*w, problems);
        wire_versions(*w);
    }
    if (problems.empty()) {
        check_schedules(w->live, w->manifest, problems);
        store_columns(*w);
        complete_hooks(*w, problems);
        check_bytes_of_buffer(*w, problems);
        check_writer(*w, problems);
        check_compressed(*w, problems);
        wire_prefetch(*w, problems);
        for (NetworkLayout& layout : w->layouts.networks) {
            place(layout);
        }
        if (!restored) {
            check_initial_weights(*w, problems);
            load_initial_frames(*w, running, problems);
        }
    }
    return w;
}

}  // namespace tenon
