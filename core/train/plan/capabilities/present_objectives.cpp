// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "train/plan/capabilities/present.hpp"
#include "train/plan/minibatch_buffers.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

double minibatches_of_round(const Wiring& w, const TrainTable& train) {
    const double updates = train.updates_per_frame
                               ? *train.updates_per_frame * static_cast<double>(w.manifest.train.batch)
                               : static_cast<double>(train.updates_per_batch.value_or(1));
    return updates * static_cast<double>(train.accumulate);
}

// Minibatches come from some of the buffers. So only parts of these buffers and of the objective can prevent
// prefetching.
void add_prefetch(const Wiring& w, const ObjectivePlan& plan, const std::string& objective, PresentParts& parts) {
    const BufferPlan* const asking = prefetching_buffer(w, plan);
    if (asking == nullptr) {
        return;
    }
    const std::string key = asking->table->component.path + ".prefetch";
    std::vector<std::string> of = {objective};
    if (!plan.by_batch()) {  // otherwise the objective itself is the reason
        for (const BufferPlan* const buffer : minibatch_buffers(w, plan)) {
            of.push_back(buffer->table->component.path);
        }
        if (!plan.train.total_updates && minibatches_of_round(w, plan.train) < 2) {
            parts.push_back({.feature = Feature::kOneMinibatch,
                             .subject = "each round",
                             .place = place_of(w.manifest, "train.batch"),
                             .about = objective});
        }
    }
    parts.push_back(
        {.feature = Feature::kPrefetch, .subject = key, .place = place_of(w.manifest, key), .of = std::move(of)});
}

}  // namespace

void add_objective_parts(const Wiring& w, PresentParts& parts) {
    for (const ObjectivePlan& plan : w.objectives) {
        const std::string objective = plan.name.empty() ? "objective" : "objective." + plan.name;
        const auto add = [&](bool has, Feature feature) {
            if (has) {
                parts.push_back(
                    {.feature = feature, .subject = plan.unit.component, .place = plan.unit.place, .about = objective});
            }
        };
        add(plan.by_batch(), Feature::kBatchObjective);
        add(!plan.by_batch() && plan.prepare.exists(), Feature::kStore);
        add_prefetch(w, plan, objective, parts);
    }
    if (w.manifest.train.episodes && w.learns_by_batch()) {
        parts.push_back({.feature = Feature::kEpisodesOfBatch,
                         .subject = "train.episodes",
                         .place = place_of(w.manifest, "train.episodes")});
    }
}

}  // namespace tenon
