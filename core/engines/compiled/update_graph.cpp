// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/update_graph.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "compute/gradient/gradients.hpp"
#include "compute/graph/dependence.hpp"
#include "engines/compiled/graph_rewrites.hpp"

namespace tenon::compiled {
namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;

class Making {
public:
    Making(const PhasePlan& plan, std::span<const StagePlan> stages, const Learner& learner, bool plain)
        : plan_(plan), stages_(stages), learner_(learner) {
        std::vector<ValueId> wanted = plan.wanted;
        for (const graph::Loss& loss : plan.graph->losses) {
            wanted.push_back(loss.value);
        }
        const graph::Graph unrolled = with_unrolled_scans(*plan.graph, wanted);
        out_.graph = with_split_linears(
            with_plain_images(plain ? with_plain_attention(unrolled) : with_attended_windows(unrolled)));
    }

    Result<UpdateGraph> make() {
        TENON_TRY(find_reads());
        graph::Extension extension(out_.graph);
        for (const StageRun& run : plan_.sequence) {
            TENON_TRY(add_gradients(extension, run));
        }
        if (!extension.status()) {
            return extension.status().error();
        }
        read_parts(out_.graph);  // which plain graphs have no attention for
        find_needed();
        out_.phase = find_phases(out_.graph, reads_, plan_.variant.due).of_node;
        run_bodies_with_scans();
        find_copies();
        return std::move(out_);
    }

private:
    Status find_reads() {
        std::vector<ValueId> wanted = plan_.wanted;
        for (const graph::Loss& loss : out_.graph.losses) {
            wanted.push_back(loss.value);
        }
        reads_ = TENON_TRY(parameter_reads(out_.graph, graph::ancestors(out_.graph, wanted), learner_));
        for (const StageRun& run : plan_.sequence) {
            std::vector<std::string>& owns = out_.graph.stages[run.stage].owns;
            owns.clear();
            for (const std::uint32_t network : stages_[run.stage].owned) {
                owns.push_back(learner_.networks[network].layout.role);
            }
        }
        return {};
    }

    Status add_gradients(graph::Extension& extension, const StageRun& run) {
        std::vector<ValueId>& gradients = out_.gradients.emplace_back(run.parameters.size(), 0);
        if (!plan_.variant.gradients) {
            return {};
        }
        ValueId total = 0;
        for (const std::uint32_t loss : run.losses) {
            const ValueId value = out_.graph.losses[loss].value;
            total = total == 0 ? value : extension.emit(graph::OpId::kAdd_1, {total, value});
        }
        std::vector<ValueId> leaves;
        std::vector<const ParameterRead*> read;
        for (const ParameterRead& leaf : reads_) {
            if (leaf.trainable && owns(stages_[run.stage], leaf.network)) {
                leaves.push_back(leaf.value);
                read.push_back(&leaf);
            }
        }
        std::vector<ValueId> found = TENON_TRY(graph::add_gradients(extension, total, leaves));
        for (std::size_t i = 0; i < run.parameters.size(); ++i) {
            const ParameterPlace& place = run.parameters[i];
            for (std::size_t leaf = 0; leaf < read.size(); ++leaf) {
                const ValueId part = found[leaf];
                if (read[leaf]->network == place.network && read[leaf]->parameter == place.parameter && part != 0) {
                    gradients[i] = gradients[i] == 0 ? part : extension.emit(graph::OpId::kAdd_1, {gradients[i], part});
                }
            }
            if (gradients[i] != 0) {
                const NetworkLayout& layout = learner_.networks[place.network].layout;
                out_.named_gradients.push_back(
                    {layout.role + "/" + layout.parameters[place.parameter].name, gradients[i]});
            }
        }
        return {};
    }

    void find_needed() {
        std::vector<ValueId> wanted = plan_.wanted;
        for (const std::vector<ValueId>& gradients : out_.gradients) {
            std::ranges::copy_if(gradients, std::back_inserter(wanted), [](ValueId value) { return value != 0; });
        }
        out_.needed = graph::ancestors(out_.graph, wanted);
    }

    // Nodes inside a scan read their inputs when the scan runs.
    void run_bodies_with_scans() {
        std::vector<std::uint32_t> phases(out_.graph.regions.size(), 0);
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (const Node& node = out_.graph.nodes[id]; node.is_any(graph::kScans)) {
                phases[static_cast<std::size_t>(graph::int_attribute(node, "region"))] = out_.phase[id];
            }
        }
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (const auto scan = graph::scan_of(out_.graph, out_.graph.nodes[id].region); scan != 0) {
                out_.phase[id] = phases[scan];
            }
        }
    }

    void find_copies() {
        std::vector<std::uint32_t> last(out_.graph.values.size(), 0);
        for (NodeId id = 1; id < out_.graph.nodes.size(); ++id) {
            if (out_.needed[id]) {
                graph::for_each_read(out_.graph, id,
                                     [&](ValueId value) { last[value] = std::max(last[value], out_.phase[id]); });
            }
        }
        for (const ParameterRead& leaf : reads_) {
            if (!out_.needed[leaf.node]) {
                continue;
            }
            std::ptrdiff_t after = -1;
            if (leaf.after >= 0 && is_due(plan_.variant.due, static_cast<std::size_t>(leaf.after))) {
                after = std::ranges::find(plan_.sequence, static_cast<std::uint32_t>(leaf.after), &StageRun::stage) -
                        plan_.sequence.begin();
            }
            bool changes = false;
            for (std::size_t k = 0; k < plan_.sequence.size(); ++k) {
                const bool between =
                    static_cast<std::ptrdiff_t>(k) > after && plan_.sequence[k].phase < last[leaf.value];
                changes = changes || (between && owns(stages_[plan_.sequence[k].stage], leaf.network));
            }
            if (changes) {
                out_.copies.push_back({leaf.node, after});
            }
        }
    }

    const PhasePlan& plan_;
    std::span<const StagePlan> stages_;
    const Learner& learner_;
    UpdateGraph out_;
    std::vector<ParameterRead> reads_;
};

}  // namespace

Result<UpdateGraph> make_update_graph(const PhasePlan& plan, std::span<const StagePlan> stages, const Learner& learner,
                                      bool plain) {
    return Making(plan, stages, learner, plain).make();
}

}  // namespace tenon::compiled
