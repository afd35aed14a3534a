// SPDX-License-Identifier: Apache-2.0
#include "run/explain/explain_device.hpp"

#include "train/plan/wiring.hpp"

namespace tenon {

ExplainedDevice device_of(const Wiring& wiring) {
    ExplainedDevice out{.name = wiring.manifest.run.device, .rows_of = {}};
    for (const BufferPlan& buffer : wiring.buffers) {
        if (buffer.on_device && buffer.part != nullptr) {
            out.rows_of.push_back(buffer.part->info.name);
        }
    }
    return out;
}

}  // namespace tenon
