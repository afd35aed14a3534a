// SPDX-License-Identifier: Apache-2.0
#include "train/plan/prefetching.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tenon {
namespace {

// The buffers from which an objective's minibatches come; those of a mixture in place of the mixture.
std::vector<const BufferPlan*> buffers_of(const Wiring& w, const ObjectivePlan& plan) {
    std::vector<const BufferPlan*> out;
    for (const BatchPlan& batch : plan.batches) {
        if (!batch.buffer) {
            continue;
        }
        const BufferPlan& buffer = w.buffers[*batch.buffer];
        if (buffer.mixed.empty()) {
            out.push_back(&buffer);
        }
        for (const std::size_t part : buffer.mixed) {
            out.push_back(&w.buffers[part]);
        }
    }
    return out;
}

// Why the rows of the next minibatch are not known before an update has been made; empty: they are.
std::string fault_of(const BufferPlan& buffer) {
    const std::string& sampler = buffer.sampling.sampler;
    if (buffer.takes_priorities) {
        return sampler + " draws by priorities, which the update before changes";
    }
    if (buffer.on_device) {
        return sampler + " chooses rows on a device, which other threads may not use";
    }
    if (buffer.remembers) {
        return sampler +
               " remembers what it has drawn, and a checkpoint between two updates would have a draw too many";
    }
    return buffer.options.change() ? "a schedule or a hook changes an option of " + sampler +
                                         ", and the next draw needs its value after the update"
                                   : "";
}

double minibatches_of_round(const Wiring& w, const TrainTable& train) {
    const double updates = train.updates_per_frame
                               ? *train.updates_per_frame * static_cast<double>(w.manifest.train.batch)
                               : static_cast<double>(train.updates_per_batch.value_or(1));
    return updates * static_cast<double>(train.accumulate);
}

}  // namespace

void wire_prefetch(Wiring& w, Problems& problems) {
    for (ObjectivePlan& plan : w.objectives) {
        const std::vector<const BufferPlan*> buffers = buffers_of(w, plan);
        const auto asks = [](const BufferPlan* buffer) { return buffer->table->prefetch.value_or(false); };
        const auto asking = std::ranges::find_if(buffers, asks);
        if (asking == buffers.end()) {
            continue;
        }
        const std::string key = (*asking)->table->component.path + ".prefetch";
        const auto refuse = [&](const std::string& why) {
            problems.push_back(input_problem(key + " is true, but " + why, place_of(w.manifest, key)));
        };
        if (plan.by_batch()) {
            refuse(plan.unit.component + " learns from the collected batch, whose rows are at hand");
            continue;
        }
        for (const BufferPlan* const buffer : buffers) {
            if (const std::string fault = fault_of(*buffer); !fault.empty()) {
                refuse(fault);
            }
        }
        if (!plan.train.total_updates && minibatches_of_round(w, plan.train) < 2) {
            refuse("each round has one minibatch, and nothing to be made before it: its frames have just come");
        }
        plan.prefetches = true;
    }
}

}  // namespace tenon
