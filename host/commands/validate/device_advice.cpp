// SPDX-License-Identifier: Apache-2.0
// What the CPU computes in a run on a device, what that costs, and links between devices that do not exist.
#include <cstdint>
#include <string>

#include "base/data/port.hpp"
#include "base/error/listed.hpp"
#include "commands/validate/advices.hpp"
#include "config/manifest/shards.hpp"
#include "train/plan/update_device.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

// Bytes of a minibatch of all objectives that learn on the device.
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
    if (!w.device_crossing) {
        const Reason lanes = why_lanes_on_cpu(w);
        const std::string crosses = learns_on_device(w) ? ", and each update copies its minibatch to it, " +
                                                              std::to_string(minibatch_bytes(w)) + " bytes"
                                                        : "";
        problems.push_back(input_problem(lanes.why + ": " + counted(w.manifest.env.lanes, "lane") +
                                             (w.manifest.env.lanes == 1 ? " is stepped" : " are stepped") + waits +
                                             crosses,
                                         w.manifest.env.component.ref.place, lanes.cure));
    }
    for (const ObjectivePlan& plan : w.objectives) {
        if (w.manifest.run.learn_on == "auto" && !plan.on_cpu.empty()) {
            problems.push_back(
                input_problem("the updates of " + plan.unit.component + " are computed" + waits + ": " + plan.on_cpu,
                              plan.unit.place, "set run.learn_on = \"cpu\""));
        }
    }
}

void advise_cluster(const Wiring& w, Problems& problems) {
    const bool is_shared = shard_count(w.manifest) > 1;
    if (!w.manifest.cluster.exact && !(is_shared && learns_on_device(w))) {
        problems.push_back(input_problem(
            "cluster.exact = false changes nothing: " +
                (is_shared ? std::string("no gradients are computed on a device, and those that go through the host "
                                         "are always added in the order of the shards")
                           : "run.shards is 1, so no gradients are exchanged"),
            place_of(w.manifest, "cluster.exact"),
            is_shared ? "remove it, or set run.device to a device that computes the updates"
                      : "remove it, or set run.shards"));
    }
}

}  // namespace tenon
