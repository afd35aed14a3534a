// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_device.hpp"

#include "compute/exec/device_engine.hpp"
#include "train/plan/update_device.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

std::string loops_of(const Wiring& wiring) {
    const std::string& jit = wiring.manifest.run.jit;
    if (jit == "off") {
        return "interpreted, because run.jit is \"off\"";
    }
    const Result<std::string> compiler = wiring.device->engine->find_compiler();
    if (!compiler) {
        return "interpreted, because " + compiler.error().sentence;
    }
    return "compiled by NVRTC " + *compiler +
           (jit == "always" ? " before they are used a second time"
                            : " in the background, once they have been used often");
}

}  // namespace

ExplainedDevice device_of(const Wiring& wiring) {
    ExplainedDevice out{.name = wiring.manifest.run.device, .rows_of = {}};
    if (wiring.stepped_there) {
        const auto lanes = static_cast<std::uint64_t>(wiring.manifest.env.lanes);
        out.steps = wiring.parts.training.env.info.name;
        out.there = wiring.stepped_there->there * lanes;
        out.back = wiring.stepped_there->back * lanes;
        out.at_end = wiring.stepped_there->at_end * lanes;
        out.columns = wiring.columns_there();
        out.columns_at_home = wiring.columns_at_home;
    }
    for (const BufferPlan& buffer : wiring.buffers) {
        if (buffer.on_device && buffer.part != nullptr) {
            out.rows_of.push_back(buffer.part->info.name);
        }
    }
    if (wiring.device == nullptr) {
        return out;
    }
    if (!wiring.stepped_there) {
        out.lanes_at_home = why_lanes_on_cpu(wiring).why;
    }
    bool has_loops = false;
    for (const ObjectivePlan& plan : wiring.objectives) {
        has_loops = has_loops || (plan.on_cpu.empty() && !plan.by_libtorch);
        if (plan.on_cpu.empty()) {
            out.learns.push_back(plan.unit.component);
        } else {
            out.on_cpu.push_back({plan.unit.component, plan.on_cpu});
        }
    }
    if (has_loops && wiring.device->table.device_type == TN_DEVICE_CUDA) {
        out.loops = loops_of(wiring);
    }
    return out;
}

}  // namespace tenon
