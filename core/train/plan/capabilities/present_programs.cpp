// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "compute/exec/device_engine.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

Status runs_on_device(const Wiring& w, const BuiltProgram& program, const Learner& learner) {
    ProgramSpec spec = program.spec(static_cast<std::uint64_t>(w.manifest.run.seed));
    spec.residence = Residence::kDevice;
    return w.device->engine->check_runs(spec, {}, learner);
}

// Why acting is on the CPU, as a clause; empty: it is not.
std::string why_acting_on_cpu(const Wiring& w, const Learner& learner) {
    if (!w.acts_by_graph()) {
        return "no graph acts";
    }
    if (!w.act.remembered.empty()) {
        return "the acting policy remembers";
    }
    const auto is_kept = [&](const Port& port) {
        return w.env_specs.find(port.key) == nullptr &&
               std::ranges::find(w.stored, port.key, &StorageColumn::key) != w.stored.end();
    };
    if (w.manifest.train.start_frames > 0 && std::ranges::any_of(w.act.outputs, is_kept)) {
        return "outputs of the policy are stored, and the first actions are random";
    }
    for (const Port& port : w.act.inputs) {
        const Spec* const spec = w.env_specs.find(port.key);
        if (spec == nullptr || spec->role != Role::kObservation) {
            return "acting reads the column '" + port.key + "'";
        }
    }
    const Status runs = runs_on_device(w, w.act, learner);
    return runs ? "" : "in acting, " + runs.error().sentence;
}

}  // namespace

void add_host_acting(const Wiring& w, const Learner& learner, PresentParts& parts) {
    if (std::string why = why_acting_on_cpu(w, learner); !why.empty()) {
        parts.push_back({.feature = Feature::kHostActing, .subject = "acting", .place = {}, .clause = std::move(why)});
    }
}

void add_host_programs(const Wiring& w, const Learner& learner, PresentParts& parts) {
    for (const ObjectivePlan& plan : w.objectives) {
        for (const BuiltProgram* const program : {&plan.prepare, &plan.conclude}) {
            const Status runs = program->exists() ? runs_on_device(w, *program, learner) : Status();
            if (!runs) {
                parts.push_back({.feature = Feature::kHostUpdates,
                                 .subject = plan.unit.component,
                                 .place = plan.unit.place,
                                 .clause = "in the function '" + program->name + "' of " + plan.unit.component + ", " +
                                           runs.error().sentence});
            }
        }
    }
}

}  // namespace tenon
