// SPDX-License-Identifier: Apache-2.0
#include "run/explain/explain_device.hpp"

#include "train/plan/wiring.hpp"

namespace tenon {

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
    for (const ObjectivePlan& plan : wiring.objectives) {
        if (plan.on_cpu.empty()) {
            out.learns.push_back(plan.unit.component);
        } else {
            out.on_cpu.push_back({plan.unit.component, plan.on_cpu});
        }
    }
    return out;
}

}  // namespace tenon
