// SPDX-License-Identifier: Apache-2.0
// What a run with shards cannot do yet, because it needs what other processes have.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "base/data/mapped.hpp"
#include "compute/graph/dependence.hpp"
#include "config/manifest/pace.hpp"
#include "config/manifest/shards.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

constexpr graph::OpSet kBatchWide{graph::OpId::kBatchSum_1, graph::OpId::kBatchMean_1, graph::OpId::kBatchStd_1,
                                  graph::OpId::kBatchCount_1, graph::OpId::kBatchQuantile_1};

// An op over all rows on which a loss, a column or a control depends; null: there is none. A metric may depend on one,
// because shard 0 reports its own.
const graph::OpDef* batch_wide_op(const graph::Graph& g) {
    auto read = mapped<graph::ValueId>(g.losses, &graph::Loss::value);
    for (const std::vector<graph::Named>* const list : {&g.writes, &g.controls}) {
        std::ranges::transform(*list, std::back_inserter(read), &graph::Named::value);
    }
    const std::vector<bool> needed = graph::ancestors(g, read);
    for (graph::NodeId id = 1; id < g.nodes.size(); ++id) {
        if (needed[id] && g.nodes[id].is_any(kBatchWide)) {
            return g.nodes[id].op;
        }
    }
    return nullptr;
}

}  // namespace

void add_shard_parts(const Wiring& w, PresentParts& parts) {
    const RunTable& run = w.manifest.run;
    const std::int64_t shards = shard_count(w.manifest);
    if (shards == 1) {
        return;
    }
    add_key(w.manifest, parts, true, Feature::kShards, "run.shards", std::to_string(shards));
    add_key(w.manifest, parts, w.device != nullptr, Feature::kRunDevice, "run.device", '"' + run.device + '"');
    add_key(w.manifest, parts, run.stop_at_episodes.has_value(), Feature::kStopAtEpisodes, "run.stop_at_episodes");
    add_key(w.manifest, parts, w.manifest.train.episodes.has_value(), Feature::kEpisodesOfBatch, "train.episodes");
    for (const BufferTable& buffer : w.manifest.buffers) {
        add_key(w.manifest, parts, !buffer.init.empty(), Feature::kInit, buffer.component.path + ".init");
        add_key(w.manifest, parts, !buffer.collects && buffer.mix.empty(), Feature::kHeldBuffer,
                buffer.component.path + ".collects", "false");
        add_key(w.manifest, parts, !buffer.mix.empty(), Feature::kMixture, buffer.component.path);
        add_key(w.manifest, parts, buffer.capacity.bytes > 0, Feature::kByteCapacity,
                buffer.component.path + ".capacity", buffer.capacity.size);
    }
    for (const ObjectivePlan& plan : w.objectives) {
        const auto add = [&](Feature feature, std::string clause) {
            parts.push_back({.feature = feature,
                             .subject = plan.unit.component,
                             .place = plan.unit.place,
                             .clause = std::move(clause)});
        };
        const std::array programs = {&plan.update, &plan.prepare, &plan.conclude};
        if (std::ranges::any_of(programs, [](const BuiltProgram* program) {
                return program->exists() && !program->graph.state_writes.empty();
            })) {
            add(Feature::kLearntState, "");
        }
        for (const BuiltProgram* const program : programs) {
            const graph::OpDef* const op = program->exists() ? batch_wide_op(program->graph) : nullptr;
            if (op != nullptr) {
                add(Feature::kBatchWide,
                    plan.unit.component + " uses a value of all rows of a minibatch (" + std::string(op->name) + ")");
                break;
            }
        }
    }
}

}  // namespace tenon
