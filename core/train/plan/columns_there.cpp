// SPDX-License-Identifier: Apache-2.0
#include "train/plan/columns_there.hpp"

#include <algorithm>
#include <string>

#include "compute/exec/device_engine.hpp"
#include "experience/replay/reader.hpp"
#include "train/plan/learning_device.hpp"
#include "train/plan/row_transforms.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// Why the lanes do not leave their columns there. Each of these returns a clause, or nothing.
std::string why_of_lanes(const Wiring& w, const Lanes& lanes) {
    const EnvParts& parts = w.parts.training;
    if (lanes.on_device() == nullptr) {
        return "the lanes of " + lanes.name() + " are stepped on the CPU";
    }
    if (!parts.wrappers.empty() || !parts.transforms.empty()) {
        return "wrappers and transforms work on the CPU";
    }
    const bool one_float = w.summed.shape.elements() == 1 && is_float(w.summed.dtype);
    return one_float ? "" : "returns are sums of several numbers";
}

// What reads or writes columns in the host's memory.
std::string why_of_manifest(const Wiring& w) {
    const Manifest& manifest = w.manifest;
    if (manifest.run.executor == "reference") {
        return "run.executor is \"reference\"";
    }
    if (w.collects_beside() || w.lag() > 0) {
        return "frames are collected beside learning, or by older parameters";
    }
    if (manifest.collector && manifest.collector->record) {
        return "collector.record keeps frames";
    }
    if (manifest.parameter_noise || !manifest.hooks.empty()) {
        return "hooks and [parameter_noise] work on the CPU";
    }
    return manifest.train.episodes ? "train.episodes ends a batch by its episodes" : "";
}

std::string why_of_buffers(const Wiring& w) {
    if (w.buffers.size() > 1) {
        return "there are several buffers";
    }
    for (const BufferPlan& buffer : w.buffers) {
        if (!buffer.mixed.empty() || !buffer.collects() || buffer.keeps() || buffer.table->storage != "memory") {
            return "the buffer is not a ring in memory of the collected frames";
        }
        if (!buffer.table->transforms.empty() || buffer.table->relabel_by == "env") {
            return "rows of minibatches are changed on the CPU";
        }
        if (!buffer.sampling.reads.empty()) {
            return buffer.sampling.sampler + " looks at columns on the CPU";
        }
        if (!buffer.on_device && !buffer.sampling.columns.empty()) {
            return buffer.sampling.sampler + " computes columns of its own on the CPU";
        }
    }
    return "";
}

std::string why_of_acting(const Wiring& w, const Learner& learner) {
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
    ProgramSpec spec = w.act.spec(static_cast<std::uint64_t>(w.manifest.run.seed));
    spec.there = true;
    const Status runs = w.device->engine->check_runs(spec, {}, learner);
    return runs ? "" : "in acting, " + runs.error().sentence;
}

std::string why_of_objective(const Wiring& w, const ObjectivePlan& plan, const Learner& learner) {
    if (!plan.on_cpu.empty()) {
        return "the updates of " + plan.unit.component + " are computed on the CPU";
    }
    if (plan.by_libtorch) {
        return "the updates of " + plan.unit.component + " are computed by libtorch";
    }
    if (plan.batches.size() != 1 || plan.prefetches || (!plan.by_batch() && plan.prepare.there())) {
        return plan.unit.component + " learns from rows that are put together on the CPU";
    }
    if (plan.reads("is_init") || plan.reads(kPolicyVersion)) {
        return plan.unit.component + " reads a column that the host writes";
    }
    for (const BuiltProgram* const program : {&plan.prepare, &plan.conclude}) {
        ProgramSpec spec = program->spec(static_cast<std::uint64_t>(w.manifest.run.seed));
        spec.there = true;
        const Status runs = program->there() ? w.device->engine->check_runs(spec, {}, learner) : Status();
        if (!runs) {
            return "in the function '" + program->name + "' of " + plan.unit.component + ", " + runs.error().sentence;
        }
    }
    return "";
}

std::string why_at_home(const Wiring& w, const Lanes& lanes, const Learner& learner) {
    std::string why = why_of_lanes(w, lanes);
    why = why.empty() ? why_of_manifest(w) : why;
    why = why.empty() ? why_of_buffers(w) : why;
    why = why.empty() ? why_of_acting(w, learner) : why;
    for (const ObjectivePlan& plan : w.objectives) {
        why = why.empty() ? why_of_objective(w, plan, learner) : why;
    }
    return why;
}

}  // namespace

void wire_columns(Wiring& wiring, const Lanes& lanes, Problems& problems) {
    if (wiring.device == nullptr || !wiring.learns()) {
        return;
    }
    const Result<Learner> learner = learner_without_values(wiring);
    if (!learner) {
        problems.push_back(learner.error());
        return;
    }
    wiring.columns_at_home = why_at_home(wiring, lanes, *learner);
}

}  // namespace tenon
