// SPDX-License-Identifier: Apache-2.0
// What a run with shards cannot do yet, because it needs what other processes have.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compute/exec/over_shards.hpp"
#include "compute/graph/attributes.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"
#include "config/manifest/shards.hpp"
#include "train/plan/capabilities/present.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

using graph::NodeId;
using graph::OpId;
using graph::ValueId;

std::string in_words(const graph::Graph& g, NodeId id) {
    const Place place = graph::place_of(g, g.nodes[id].source);
    return "(" + std::string(g.nodes[id].op->name) + ", " + place.file + ":" + std::to_string(place.line) + ")";
}

// A value of all rows through which a stage's losses have a gradient with respect to what it steps.
std::optional<NodeId> with_gradient(const Wiring& w, const ObjectivePlan& plan, const std::vector<NodeId>& together) {
    const graph::Graph& g = plan.update.graph;
    for (std::size_t stage = 0; stage < plan.stages.size(); ++stage) {
        std::vector<ValueId> losses;
        for (const graph::Loss& loss : g.losses) {
            losses.insert(losses.end(), loss.stage == stage ? 1 : 0, loss.value);
        }
        std::vector<ValueId> stepped;
        for (const graph::Node& node : g.nodes) {
            const auto is_it = [&](std::uint32_t network) {
                return w.layouts.networks[network].role == graph::text_of(node.attributes, "role");
            };
            if (node.is(OpId::kParameter_1) &&
                parameter_slab(graph::text_of(node.attributes, "slab")) == ParameterSlab::kLive &&
                std::ranges::any_of(plan.stages[stage].owned, is_it)) {
                stepped.push_back(node.first_output);
            }
        }
        const std::vector<bool> carries = graph::carries_gradient(g, graph::gradient_paths(g, losses), stepped);
        const auto found = std::ranges::find_if(together, [&](NodeId id) {
            return carries[id] && !g.nodes[id].is_any({OpId::kBatchCount_1, OpId::kBatchQuantile_1});
        });
        if (found != together.end()) {
            return *found;
        }
    }
    return std::nullopt;
}

// Whether the program writes a parameter that would then differ between shards.
bool parts_networks(const Wiring& w, const graph::Graph& g, const OverShards& over) {
    return std::ranges::any_of(g.state_writes, [&](const graph::Named& write) {
        const std::size_t slash = write.name.find('/');
        const auto network = std::ranges::find(w.layouts.networks, write.name.substr(0, slash), &NetworkLayout::role);
        return !over.alike[write.value] && network != w.layouts.networks.end() &&
               std::ranges::any_of(network->parameters, [&](const Parameter& parameter) {
                   return parameter.trainable && parameter.name == write.name.substr(slash + 1);
               });
    });
}

// A value of all rows that is computed in a scan and read by more than metrics.
std::optional<NodeId> in_scan(const graph::Graph& g, const OverShards& over) {
    const std::vector<bool> needed = needed_beyond_metrics(g);
    const auto found = std::ranges::find_if(over.in_scans, [&](NodeId id) { return needed[id]; });
    return found == over.in_scans.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

void add_shard_parts(const Wiring& w, PresentParts& parts) {
    const RunTable& run = w.manifest.run;
    const std::int64_t shards = shard_count(w.manifest);
    if (shards == 1) {
        return;
    }
    add_key(w.manifest, parts, true, Feature::kShards, "run.shards", std::to_string(shards));
    add_key(w.manifest, parts, run.stop_at_episodes.has_value(), Feature::kStopAtEpisodes, "run.stop_at_episodes");
    add_key(w.manifest, parts, w.manifest.train.episodes.has_value(), Feature::kEpisodesOfBatch, "train.episodes");
    for (const BufferTable& buffer : w.manifest.buffers) {
        add_key(w.manifest, parts, !buffer.init.empty(), Feature::kInit, buffer.component.path + ".init");
        add_key(w.manifest, parts, buffer.capacity.bytes > 0, Feature::kByteCapacity,
                buffer.component.path + ".capacity", buffer.capacity.size);
    }
    for (const HookPlan& hook : w.hooks) {  // shard 0 calls them
        const auto add = [&](bool has, Feature feature) {
            add_part(parts, has, {.feature = feature, .subject = hook.component, .place = hook.place});
        };
        add(!hook.columns.empty(), Feature::kColumnHook);
        add(!hook.options.empty() || !hook.writes.empty(), Feature::kActingHook);
    }
    for (const ObjectivePlan& plan : w.objectives) {
        const auto add = [&](Feature feature, std::string clause) {
            parts.push_back(part_of(feature, plan, std::move(clause)));
        };
        each_program(plan, [&](const BuiltProgram& program) {
            if (!program.exists()) {
                return;
            }
            const graph::Graph& g = program.graph;
            const OverShards over = over_shards(g);
            if (parts_networks(w, g, over)) {
                add(Feature::kLearntState, "");
            } else if (const auto inside = in_scan(g, over)) {
                add(Feature::kBatchWideSteps, plan.unit.component +
                                                  " computes a value of all rows in the steps of a scan " +
                                                  in_words(g, *inside));
            } else if (&program == &plan.prepare && !plan.by_batch() && !over.together.empty()) {
                add(Feature::kBatchWideSteps, plan.unit.component +
                                                  " uses a value of all rows when frames come into its buffer " +
                                                  in_words(g, over.together.front()));
            } else if (const auto through =
                           &program == &plan.update ? with_gradient(w, plan, over.together) : std::nullopt) {
                add(Feature::kBatchWide,
                    plan.unit.component + " has a gradient through a value of all rows " + in_words(g, *through));
            }
        });
    }
}

}  // namespace tenon
