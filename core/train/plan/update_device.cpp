// SPDX-License-Identifier: Apache-2.0
#include "train/plan/update_device.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "compute/exec/device_engine.hpp"
#include "compute/exec/over_shards.hpp"
#include "config/manifest/shards.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/source_kind.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// Whether shards add up values of all rows on the host while a program runs. With those that only metrics of an update
// need, they wait for its end.
bool waits_for_shards(const Wiring& wiring, const ObjectivePlan& plan) {
    bool out = false;
    each_program(plan, [&](const BuiltProgram& program) {
        if (program.exists() && shard_count(wiring.manifest) > 1) {
            const std::vector<bool> needed = needed_beyond_metrics(program.graph);
            const std::vector<graph::NodeId> together = over_shards(program.graph).together;
            out = out || std::ranges::any_of(together,
                                             [&](graph::NodeId id) { return needed[id] || &program != &plan.update; });
        }
    });
    return out;
}

// Why updates are computed on the CPU; empty: they are not. Also finds whether libtorch computes them on the device.
std::string why_on_cpu(const Wiring& wiring, ObjectivePlan& plan, const Learner& learner) {
    if (wiring.manifest.run.learn_on == "cpu") {
        return "run.learn_on is \"cpu\"";
    }
    if (waits_for_shards(wiring, plan)) {
        return "run.shards adds up values of all rows on the host";
    }
    const ProgramSpec spec = plan.update.spec(wiring.seed());
    const std::string& executor = wiring.manifest.run.executor;
    const Status runs = executor == "reference" ? Status(plugin_problem("run.executor is \"reference\""))
                                                : wiring.device->engine->check_runs(spec, plan.stages, learner);
    if (runs || executor == "compiled") {
        return runs ? std::string() : runs.error().sentence;
    }
    if (const Status steps = wiring.device->engine->check_steps(spec, plan.stages, learner); !steps) {
        return steps.error().sentence;
    }
    const std::string lacks = wiring.host->libtorch_lacks(*wiring.device);
    plan.by_libtorch = lacks.empty();
    return lacks.empty() ? lacks : runs.error().sentence + ", and " + lacks;
}

// Why columns stay on the host. Programs are lowered only if there is no other reason, because this takes long.
std::string why_on_host(const Wiring& w, const Lanes& lanes, const Learner& learner) {
    if (source_kind(w.host->sources, kSourceOnDevice) == nullptr) {
        return "this program has no source \"" + std::string(kSourceOnDevice) + '"';
    }
    PresentParts parts;
    const auto why = [&] { return reason_of(parts, Relation::kNeeds, Capability::kHostColumns).why; };
    add_host_parts(w, lanes, parts);
    add_collector_parts(w, parts);
    add_acting_parts(w, parts);
    add_buffer_parts(w, parts);
    add_objective_parts(w, parts);
    if (why().empty()) {
        add_host_acting(w, learner, parts);
    }
    if (why().empty()) {
        add_host_objectives(w, parts);
    }
    if (why().empty()) {
        add_host_programs(w, learner, parts);
    }
    return why();
}

}  // namespace

Result<Learner> learner_without_values(const Wiring& wiring) {
    Learner out{.real = wiring.real(), .networks = {}};
    for (const NetworkLayout& layout : wiring.layouts.networks) {
        Network& network = out.networks.emplace_back();
        network.layout = layout;
        for (const auto& [role, copy] : wiring.layouts.copies) {
            if (role == layout.role) {
                slab_of(network, copy) = TENON_TRY(Slab::make(kSlabAlignment));
            }
        }
    }
    return out;
}

void wire_update_device(Wiring& wiring, const Learner& learner, Problems& problems) {
    PresentParts parts;
    add_device_parts(wiring, parts);
    for (ObjectivePlan& plan : wiring.objectives) {
        plan.on_cpu = why_on_cpu(wiring, plan, learner);
        if (!plan.on_cpu.empty()) {
            parts.push_back(part_of(Feature::kHostUpdates, plan,
                                    "the updates of " + plan.unit.component + " cannot be computed on " +
                                        wiring.device->name + ": " + plan.on_cpu));
        }
    }
    refuse_combinations(parts, problems);
}

void wire_columns(Wiring& wiring, const Lanes& lanes, const Learner& learner) {
    wiring.why_columns_on_host = why_on_host(wiring, lanes, learner);
}

Reason why_lanes_on_cpu(const Wiring& wiring) {
    PresentParts parts;
    add_collector_parts(wiring, parts);
    add_task_parts(wiring, parts);
    add_lane_parts(wiring, parts);
    return reason_of(parts, Relation::kTakes, Capability::kDeviceLanes);
}

bool learns_on_device(const Wiring& wiring) {
    return std::ranges::any_of(wiring.objectives,
                               [&](const ObjectivePlan& plan) { return learns_on_device(wiring, plan); });
}

bool learns_on_device(const Wiring& wiring, const ObjectivePlan& plan) {
    return wiring.device != nullptr && plan.on_cpu.empty();
}

}  // namespace tenon
