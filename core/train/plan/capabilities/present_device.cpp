// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "compute/exec/device_engine.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

void add_host_buffer(const Wiring& w, const BufferPlan& buffer, PresentParts& parts) {
    const auto add = [&](bool has, Feature feature, const std::string& subject) {
        add_part(parts, has, {.feature = feature, .subject = subject, .place = buffer.table->component.place});
    };
    const std::string& path = buffer.table->component.path;
    add(w.buffers.size() > 1, Feature::kSeveralBuffers, "frames");
    add(!buffer.mixed.empty() || !buffer.collects(), Feature::kRecordedBuffer, "[" + path + "]");
    add(!buffer.table->transforms.empty() || buffer.table->relabel_by == "env", Feature::kRowChanges, "[" + path + "]");
    add(!buffer.sampling.reads.empty(), Feature::kSamplerReads, buffer.sampling.sampler);
    add(!buffer.on_device && !buffer.sampling.columns.empty(), Feature::kSamplerColumns, buffer.sampling.sampler);
}

}  // namespace

void add_device_parts(const Wiring& w, PresentParts& parts) {
    const RunTable& run = w.manifest.run;
    const auto add = [&](bool has, Feature feature, const char* key, const std::string& value) {
        add_key(w.manifest, parts, has, feature, key, '"' + value + '"');
    };
    add(run.device == "cpu", Feature::kCpuOnly, "run.device", run.device);
    add(run.device == "emulated", Feature::kEmulated, "run.device", run.device);
    add(run.jit == "always", Feature::kJitAlways, "run.jit", run.jit);
    add(run.learn_on == "device", Feature::kLearnOnDevice, "run.learn_on", run.learn_on);
}

void add_lane_parts(const Wiring& w, PresentParts& parts) {
    const Part& env = w.parts.training.env;
    add_part(parts, env.table->isolation.value_or(w.manifest.plugins.isolation) == "process",
             {.feature = Feature::kIsolatedEnv, .subject = "isolation = \"process\"", .place = env.table->place});
    parts.push_back(part_of(Feature::kEnvWithoutKernels, env));
}

void add_host_parts(const Wiring& w, const Lanes& lanes, PresentParts& parts) {
    const EnvParts& env = w.parts.training;
    const auto add = [&](bool has, Feature feature, std::string subject) {
        add_part(parts, has, {.feature = feature, .subject = std::move(subject), .place = env.env.table->place});
    };
    add(lanes.on_device() == nullptr, Feature::kHostLanes, "the lanes of " + lanes.name());
    add(!env.wrappers.empty() || !env.transforms.empty(), Feature::kEnvChanges, "wrappers and transforms");
    add(w.summed.shape.elements() != 1 || !is_float(w.summed.dtype), Feature::kVectorReturns, "returns");
    add(w.manifest.run.executor == "reference", Feature::kReference, "run.executor");
    add(w.manifest.train.episodes.has_value(), Feature::kEpisodesOfBatch, "train.episodes");
    for (const BufferPlan& buffer : w.buffers) {
        add_host_buffer(w, buffer, parts);
    }
}

void add_host_objectives(const Wiring& w, PresentParts& parts) {
    for (const ObjectivePlan& plan : w.objectives) {
        const auto add = [&](bool has, Feature feature, std::string clause) {
            add_part(parts, has, part_of(feature, plan, std::move(clause)));
        };
        const std::string updates = "the updates of " + plan.unit.component + " are computed ";
        add(!plan.on_cpu.empty(), Feature::kHostUpdates, updates + "on the CPU");
        add(plan.on_cpu.empty() && plan.by_libtorch, Feature::kHostUpdates, updates + "by libtorch");
        add(plan.batches.size() != 1 || plan.prefetches || (!plan.by_batch() && plan.prepare.exists()),
            Feature::kHostMinibatches, "");
        add(plan.reads("is_init") || plan.reads(kPolicyVersion), Feature::kReadsHostColumn, "");
    }
}

namespace {

Status runs_on_device(const Wiring& w, const BuiltProgram& program, const Learner& learner) {
    ProgramSpec spec = program.spec(w.seed());
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
                parts.push_back(part_of(Feature::kHostUpdates, plan,
                                        "in the function '" + program->name + "' of " + plan.unit.component + ", " +
                                            runs.error().sentence));
            }
        }
    }
}

}  // namespace tenon
