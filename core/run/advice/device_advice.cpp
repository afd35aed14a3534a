// SPDX-License-Identifier: Apache-2.0
// What a run on a device leaves on the CPU, and what that costs.
#include <cstdint>
#include <string>

#include "base/data/port.hpp"
#include "run/advice/advices.hpp"
#include "train/plan/learning_device.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// Bytes of a minibatch of all objectives that learn there.
std::uint64_t minibatch_bytes(const Wiring& w) {
    std::uint64_t bytes = 0;
    for (const ObjectivePlan& plan : w.objectives) {
        for (const Port& port : plan.update.inputs) {
            bytes += plan.on_cpu.empty() ? row_bytes(port) * static_cast<std::uint64_t>(plan.train.minibatch) : 0;
        }
    }
    return bytes;
}

}  // namespace

void advise_device(const Wiring& w, Problems& problems) {
    if (w.device == nullptr) {
        return;
    }
    const std::string waits = " on the CPU while the device waits";
    if (!w.stepped_there) {
        const EnvParts& parts = w.parts.training;
        const std::string& env = parts.env.info.name;
        const std::string why = w.collects_in_processes()
                                    ? "with collector.kind = \"processes\" the workers step the lanes"
                                : parts.tasks.empty() ? env + " has no kernels"
                                                      : "[[env.tasks]] share the lanes";
        const std::string help = w.collects_in_processes()
                                     ? "set another collector.kind, or run.device = \"cpu\""
                                     : "use an env with kernels (tenon list names the devices of each)";
        const std::string crosses = learns_on_device(w) ? ", and each update copies its minibatch there, " +
                                                              std::to_string(minibatch_bytes(w)) + " bytes"
                                                        : "";
        problems.push_back(
            input_problem(why + ": " + std::to_string(w.manifest.env.lanes) + " lanes are stepped" + waits + crosses,
                          w.manifest.env.component.ref.place, help));
    }
    for (const ObjectivePlan& plan : w.objectives) {
        if (w.manifest.run.learn_on == "auto" && !plan.on_cpu.empty()) {
            problems.push_back(
                input_problem("the updates of " + plan.unit.component + " are computed" + waits + ": " + plan.on_cpu,
                              plan.unit.place, "set run.learn_on = \"cpu\""));
        }
    }
}

}  // namespace tenon
