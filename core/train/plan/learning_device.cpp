// SPDX-License-Identifier: Apache-2.0
#include "train/plan/learning_device.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "compute/exec/device_engine.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// Also finds whether libtorch computes the updates there.
std::string why_on_cpu(const Wiring& wiring, ObjectivePlan& plan, const Learner& learner) {
    if (wiring.manifest.run.learn_on == "cpu") {
        return "run.learn_on is \"cpu\"";
    }
    const ProgramSpec spec = plan.update.spec(static_cast<std::uint64_t>(wiring.manifest.run.seed));
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

}  // namespace

Result<Learner> learner_without_values(const Wiring& wiring) {
    Learner out{.real = wiring.real(), .networks = {}};
    for (const NetworkLayout& layout : wiring.layouts.networks) {
        Network& network = out.networks.emplace_back();
        network.layout = layout;
        for (const auto& [role, copy] : wiring.layouts.copies) {
            if (role != layout.role) {
                continue;
            }
            Result<Slab> some = Slab::make(kSlabAlignment);
            if (!some) {
                return std::move(some).error();
            }
            slab_of(network, copy) = std::move(*some);
        }
    }
    return out;
}

void wire_learning_device(Wiring& wiring, Problems& problems) {
    const RunTable& run = wiring.manifest.run;
    if (run.device == "cpu" && run.jit == "always") {
        problems.push_back(input_problem("run.jit is \"always\", but run.device is \"cpu\"",
                                         place_of(wiring.manifest, "run.jit"),
                                         "set run.device = \"cuda\", or run.jit = \"auto\""));
    }
    if (run.device == "cpu" && run.learn_on == "device") {
        problems.push_back(input_problem("run.learn_on is \"device\", but run.device is \"cpu\"",
                                         place_of(wiring.manifest, "run.learn_on"),
                                         "set run.device = \"cuda\", or \"emulated\" where there is no GPU"));
    }
    if (wiring.device == nullptr || !wiring.learns()) {
        return;
    }
    const Result<Learner> learner = learner_without_values(wiring);
    if (!learner) {
        problems.push_back(learner.error());
        return;
    }
    for (ObjectivePlan& plan : wiring.objectives) {
        plan.on_cpu = why_on_cpu(wiring, plan, *learner);
        if (wiring.manifest.run.learn_on == "device" && !plan.on_cpu.empty()) {
            problems.push_back(input_problem("the updates of " + plan.unit.component + " cannot be computed on " +
                                                 wiring.device->name + ": " + plan.on_cpu,
                                             place_of(wiring.manifest, "run.learn_on"),
                                             "run.learn_on = \"auto\" computes such updates on the CPU"));
        }
    }
}

LanesOnCpu why_lanes_on_cpu(const Wiring& wiring) {
    const std::string or_cpu = ", or set run.device = \"cpu\"";
    const Part& env = wiring.parts.training.env;
    if (wiring.collects_in_processes()) {
        return {"with collector.kind = \"processes\" the workers step the lanes",
                "use another collector.kind" + or_cpu};
    }
    if (!wiring.parts.training.tasks.empty()) {
        return {"[[env.tasks]] share the lanes", "train one task" + or_cpu};
    }
    if (env.table->isolation.value_or(wiring.manifest.plugins.isolation) == "process") {
        return {"with isolation = \"process\" another process steps the lanes", "leave it out" + or_cpu};
    }
    return {env.info.name + " has no kernels", "use an env with kernels (tenon list names the devices of each)"};
}

bool learns_on_device(const Wiring& wiring) {
    return wiring.device != nullptr &&
           std::ranges::any_of(wiring.objectives, [](const ObjectivePlan& plan) { return plan.on_cpu.empty(); });
}

}  // namespace tenon
