// SPDX-License-Identifier: Apache-2.0
#include "train/plan/wiring.hpp"

#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "config/manifest/shards.hpp"
#include "experience/env/summed_reward.hpp"
#include "train/plan/acting_units.hpp"
#include "train/plan/buffer_plan.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/column_readers.hpp"
#include "train/plan/env_lanes.hpp"
#include "train/plan/evaluations.hpp"
#include "train/plan/groups.hpp"
#include "train/plan/initial_weights.hpp"
#include "train/plan/recording_kind.hpp"
#include "train/plan/relabelling.hpp"
#include "train/plan/ring_storage.hpp"
#include "train/plan/row_transforms.hpp"
#include "train/plan/source_kind.hpp"
#include "train/plan/stages.hpp"
#include "train/plan/stand_ins.hpp"
#include "train/plan/storage_size.hpp"
#include "train/plan/train_table.hpp"
#include "train/plan/units.hpp"
#include "train/plan/update_device.hpp"
#include "train/plan/wiring_acting.hpp"
#include "train/plan/wiring_buffers.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

bool wire_env(Wiring& w, Host& host, Running& running, Problems& problems) {
    // Lanes of worker processes are made in the workers; one lane is made here to ask for its specs
    const auto lanes = static_cast<std::uint32_t>(w.collects_in_processes() ? 1 : w.manifest.env.lanes);
    // a separate device if lanes are stepped while a buffer chooses rows in another thread
    Result<std::shared_ptr<Device>> device(w.collects_in_processes() ? nullptr : w.device);
    if (*device != nullptr && w.collects_async()) {
        device = open_device_with(host.sources, w.device->name);
    }
    if (!is_done(device, problems)) {
        return false;
    }
    Result<Lanes> made = make_lanes(w.parts.training, w.live, training_lanes(w.parts.training, lanes), w.seed(),
                                    stream_of_shard(w.manifest, "train") + "/", host.pool, *std::move(device));
    if (!is_done(made, problems) || !is_done(sum_returns(*made, w.manifest), problems)) {
        return false;
    }
    w.summed = *made->env_info().specs.find(made->summed());
    w.rewarded = mapped<std::string>(groups_with_rewards(made->env_info().specs), std::identity());
    running.lanes.emplace(std::move(*made));
    w.env_specs = running.lanes->specs();
    w.inner_specs = running.lanes->env_info().specs;
    w.episode_limit = running.lanes->env_info().episode_limit;
    if (const DeviceEnv* const device_env = running.lanes->on_device(); device_env != nullptr) {
        w.device_crossing = device_env->crossing();
    }
    return true;
}

// Checks that no two networks provide a column of the same name.
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

// The marks of networks that objectives name and that do not exist, which has been reported.
std::set<std::string> told_networks(const Manifest& manifest) {
    std::set<std::string> out;
    for (const ObjectiveTable& objective : manifest.objectives) {
        for (const RoleTable& each : objective.networks) {
            if (std::ranges::find(manifest.policies, each.network, &PolicyTable::name) == manifest.policies.end()) {
                out.insert(graph::mark_of_network(each.network));
            }
        }
    }
    return out;
}

// Reports the networks of objectives for roles that these never call.
void check_roles(const Wiring& w, const std::set<std::string>& called, Problems& problems) {
    for (std::size_t i = 0; i < w.objectives.size(); ++i) {
        const graph::Unit& unit = w.objectives[i].unit;
        std::vector<std::string_view> roles;
        for (const std::string& one : called) {
            if (within(one, unit.role)) {
                roles.push_back(std::string_view(one).substr(unit.role.size() + 1));
            }
        }
        for (const graph::RoleOf& each : unit.networks) {
            if (std::ranges::find(roles, each.role) == roles.end()) {
                const std::string path = w.manifest.objectives[i].component.path + ".networks." + each.role;
                problems.push_back(input_problem(path + " has no effect: " + unit.component + " calls no role '" +
                                                     each.role + "'" + did_you_mean(each.role, roles) +
                                                     " (it calls: " + listed(roles) + ")",
                                                 place_of(w.manifest, path)));
            }
        }
    }
}

// Refuses a second policy of a group that nothing calls: only the first one acts. A policy that is called has
// parameters.
void check_second_policies(const Wiring& w, Problems& problems) {
    const std::vector<ActingUnit> acting = acting_units(w);
    for (std::size_t i = 0; i < w.networks.size(); ++i) {
        const graph::Unit& network = w.networks[i];
        const auto first = std::ranges::find_if(acting, [&](const ActingUnit& one) {
            return one.policy->group == network.group && one.policy != &network;
        });
        if (!network.group.empty() && first != acting.end() && acts_with_action(network) &&
            w.layouts.networks[i].parameters.empty()) {
            const std::string other = "[policy." + first->policy->role + "]";
            problems.push_back(
                input_problem(other + " and [policy." + network.role + "] both give the actions of the group '" +
                                  network.group + "': " + other +
                                  " acts, because it comes first, and nothing calls the other one; remove it, or "
                                  "set another group",
                              network.place));
            problems.back().also.push_back(first->policy->place);
        }
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

// The columns to store: those of the env, and those outputs of policies and of prepare, and memories, that the
// objectives' programs read from the collected frames, or from `other`, a buffer with other frames.
std::vector<StorageColumn> columns_to_store(const Wiring& w, const BufferPlan* other) {
    std::vector<StorageColumn> out = storage_columns(w.env_specs);
    std::vector<graph::Column> candidates = columns_of_collecting(w);
    for (const ObjectivePlan& plan : w.objectives) {
        std::ranges::copy_if(plan.columns, std::back_inserter(candidates),
                             [&](const graph::Column& column) { return plan.writes(column.spec.key); });
    }
    for (const graph::Column& column : candidates) {
        if (learning_wants(w, other, column.spec.key) || (other == w.collecting() && hooks_want(w, column.spec.key))) {
            const bool sampled = column.earlier > 0 && other != nullptr && !w.learns_by_batch();
            out.push_back(state_column(column.spec, static_cast<std::uint32_t>(column.earlier), sampled));
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

// What two objectives of groups write has the names of the groups, unless it is the same for all agents.
void check_written_twice(const Wiring& w, Problems& problems) {
    for (std::size_t i = 0; i < w.objectives.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const ObjectivePlan &first = w.objectives[j], &second = w.objectives[i];
            const auto& outputs = second.prepare.outputs;
            const auto both = std::ranges::find_if(outputs, [&](const Port& port) { return first.writes(port.key); });
            if (both != outputs.end()) {
                problems.push_back(input_problem(
                    "the objectives '" + first.name + "' and '" + second.name + "' both write the column '" +
                        both->key + "'" +
                        (second.unit.group.empty() ? "" : ", which has one value for all agents of a group"),
                    second.unit.place,
                    second.unit.group.empty() ? "" : "let the value of each group read a column of its group"));
                problems.back().also.push_back(first.unit.place);
                return;
            }
        }
    }
}

// All networks and, without functions, the policy that is a procedure: the problem of an objective that calls it says
// so.
std::vector<graph::Unit> callable(const Wiring& w) {
    std::vector<graph::Unit> out = w.networks;
    if (w.procedure != nullptr) {
        const std::string& path = w.procedure->table->path;
        graph::Unit& last = out.emplace_back();
        last.role = path.substr(path.find('.') + 1);
        last.component = w.procedure->info.name;
        last.place = w.procedure->table->ref.place;
    }
    return out;
}

void wire_objectives(Wiring& w, const BuildSite& site, Problems& problems) {
    const std::size_t before = problems.size();
    const std::vector<graph::Unit> networks = callable(w);
    for (ObjectivePlan& plan : w.objectives) {
        check_minibatch(w, plan, problems);
        plan.stand_ins = stand_ins_of(w, plan);
        BuildSite of_plan = site;
        of_plan.stand_ins = &plan.stand_ins;
        of_plan.networks = &networks;
        wire_learning(w, plan, of_plan, columns_of_collecting(w), problems);
    }
    check_written_twice(w, problems);
    const auto has_failed = [](const ObjectivePlan& plan) { return plan.stages.empty(); };
    if (problems.size() == before && !w.objectives.empty() && std::ranges::none_of(w.objectives, has_failed)) {
        std::vector<PlannedStages> planned;
        for (const ObjectivePlan& plan : w.objectives) {
            planned.push_back({plan.name, &plan.update.graph, &plan.stages});
        }
        check_stages(planned, w.layouts, w.manifest, problems);
    }
}

// Decides what the device computes, if there is one, and which columns stay on it.
void wire_device(Wiring& w, const Lanes& lanes, Problems& problems) {
    if (w.device == nullptr || !w.learns()) {
        return;
    }
    const Result<Learner> learner = learner_without_values(w);
    if (!is_done(learner, problems)) {
        return;
    }
    wire_update_device(w, *learner, problems);
    wire_columns(w, lanes, *learner);
}

void check_shape_of_run(const Wiring& w, Problems& problems) {
    const Manifest& m = w.manifest;
    check_train(w, problems);
    if (const BufferTable* const ring = collecting_buffer(m);
        ring != nullptr && ring->capacity.bytes == 0 && sizes_are_known(m)) {
        check_capacity(w, ring->capacity.frames, problems);
    }
}

// A capacity in bytes can be checked only when the columns are known.
void check_bytes_of_buffer(const Wiring& w, Problems& problems) {
    const BufferTable* const ring = collecting_buffer(w.manifest);
    if (ring != nullptr && ring->capacity.bytes > 0) {
        check_capacity(w, buffer_frames(w), problems);
    }
}

}  // namespace

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
    const bool has_groups = wire_groups(*w, problems);
    complete = has_groups && complete;
    check_row_transforms(*w, problems);
    check_relabelling(*w, *running.lanes, problems);
    check_provided_columns(*w, problems);
    check_episodes(*w, running.lanes->name(), problems);
    check_reach(*w, running.lanes->name(), problems);
    std::set<std::string> told = told_networks(w->manifest);
    std::set<std::string> stood_in;
    std::set<std::string> called;
    const BuildSite site{.networks = &w->networks,
                         .transforms = &w->transforms,
                         .stood_in = &stood_in,
                         .called = &called,
                         .layouts = &w->layouts,
                         .real = w->real(),
                         .groups = &w->groups,
                         .told = &told,
                         .burn_in = w->manifest.train.burn_in,
                         .forgets = w->manifest.train.initial_memory == "zero",
                         .extent = {.rows = w->manifest.env.lanes}};
    if (complete && check_transformed_columns(*w, problems)) {  // otherwise the missing part has been reported
        wire_acting(*w, host, running, site, problems);
        check_source(*w, problems);
        check_collecting_parts(*w, *running.lanes, problems);
        check_recording(*w, problems);
        if (!w->act.failed || w->act.graph.memories.empty()) {  // otherwise sequences would show the same mistake again
            wire_objectives(*w, site, problems);
        }
    }
    if (has_groups) {  // otherwise an option of the env may be wrong, which evaluations have, too
        check_evaluations(*w, *running.lanes, host.pool, problems);
    }
    if (problems.empty()) {
        check_stand_ins_are_read(*w, stood_in, problems);
        check_references(*w, problems);
        check_roles(*w, called, problems);
        check_second_policies(*w, problems);
        check_relabelled_is_read(*w, problems);
        wire_versions(*w);
    }
    w->built = problems.empty();
    if (w->built) {
        check_schedules(w->live, w->manifest, problems);
        store_columns(*w);
        check_gathered(*w, problems);
        complete_hooks(*w, problems);
        w->unread = unread_columns(*w, *running.lanes);
        check_bytes_of_buffer(*w, problems);
        check_ranking(*w, problems);
        check_all_parts(*w, *running.lanes, problems);
        if (const Result<std::uint32_t> later = running.lanes->answers_later(); w->pools() && later) {
            w->at_once = *later;
        }
        check_storage(*w, problems);
        for (ObjectivePlan& plan : w->objectives) {
            plan.prefetches = !plan.by_batch() && prefetching_buffer(*w, plan) != nullptr;
        }
        for (NetworkLayout& layout : w->layouts.networks) {
            place(layout);
        }
        wire_device(*w, *running.lanes, problems);
        check_device_is_used(*w, running, problems);
        if (!restored) {
            check_initial_weights(*w, problems);
            load_initial_frames(*w, running, problems);
        }
    }
    return w;
}

}  // namespace tenon
