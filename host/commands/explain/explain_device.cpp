// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_parts.hpp"

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
    if (wiring.device_crossing) {
        const auto lanes = static_cast<std::uint64_t>(wiring.manifest.env.lanes);
        out.steps = wiring.parts.training.env.info.name;
        out.to_device = wiring.device_crossing->to_device * lanes;
        out.back = wiring.device_crossing->back * lanes;
        out.at_end = wiring.device_crossing->at_end * lanes;
        out.columns = wiring.columns_on_device();
        out.why_columns_on_host = wiring.why_columns_on_host;
    }
    for (const BufferPlan& buffer : wiring.buffers) {
        if (buffer.on_device && buffer.part != nullptr) {
            out.rows_of.push_back(buffer.part->info.name);
        }
    }
    if (wiring.device == nullptr) {
        return out;
    }
    if (!wiring.device_crossing) {
        out.why_lanes_on_host = why_lanes_on_cpu(wiring).why;
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
