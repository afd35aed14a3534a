// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/schedule.hpp"

#include <algorithm>

#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"
#include "engines/torch/releases.hpp"

namespace tenon::reference {
namespace {

using graph::NodeId;
using graph::ValueId;

class Planner {
public:
    Planner(const ScheduleParts& parts, const PhasePlan& plan)
        : parts_(parts), plan_(plan), graph_(parts.evaluator.graph()), needed_(graph::ancestors(graph_, plan.wanted)) {
        out_.plan = &plan;
        out_.phases.resize(plan.phases.count);
        out_.stages.resize(plan.sequence.size());
    }

    Result<Schedule> make() {
        last_phase_.assign(parts_.leaves.size(), 0);
        differentiable_.assign(parts_.leaves.size(), false);
        with_gradient_.assign(graph_.nodes.size(), false);
        for (std::size_t place = 0; place < plan_.sequence.size(); ++place) {
            TENON_TRY(find_gradients(place));
        }
        place_births();
        place_nodes();
        return std::move(out_);
    }

private:
    [[nodiscard]] std::vector<ValueId> values_of(const std::vector<std::uint32_t>& losses) const {
        std::vector<ValueId> out;
        for (const std::uint32_t loss : losses) {
            out.push_back(graph_.losses[loss].value);
        }
        return out;
    }

    Status find_gradients(std::size_t place) {
        const StageRun& run = plan_.sequence[place];
        const std::vector<bool> paths = graph::gradient_paths(graph_, values_of(run.losses));
        std::vector<ValueId> targets;
        out_.stages[place].of.resize(run.parameters.size());
        for (std::size_t i = 0; i < parts_.leaves.size(); ++i) {
            const ParameterRead& leaf = parts_.leaves[i].read;
            if (!paths[leaf.value]) {
                continue;
            }
            last_phase_[i] = std::max(last_phase_[i], run.phase);  // the backward pass may keep its value
            if (leaf.trainable && owns(parts_.stages[run.stage], leaf.network)) {
                differentiable_[i] = true;
                targets.push_back(leaf.value);
                const auto parameter = std::ranges::find_if(run.parameters, [&](const ParameterPlace& each) {
                    return each.network == leaf.network && each.parameter == leaf.parameter;
                });
                out_.stages[place].of[static_cast<std::size_t>(parameter - run.parameters.begin())].push_back(
                    leaf.value);
            }
        }
        if (targets.empty()) {
            const graph::Stage& stage = graph_.stages[run.stage];
            return plugin_problem(
                "the losses of the stage '" + stage.name + "' depend on no parameter of a network that it owns",
                graph::place_of(graph_, stage.source));
        }
        const std::vector<bool> carries = graph::carries_gradient(graph_, paths, targets);
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            with_gradient_[id] = with_gradient_[id] || carries[id];
        }
        return {};
    }

    void place_births() {
        std::vector<std::ptrdiff_t> leaf_of(graph_.values.size(), -1);
        for (std::size_t i = 0; i < parts_.leaves.size(); ++i) {
            leaf_of[parts_.leaves[i].read.value] = static_cast<std::ptrdiff_t>(i);
        }
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            if (needed_[id] && graph_.nodes[id].output_count > 0) {
                const std::uint32_t phase = plan_.phases.of_node[id];
                graph::for_each_read(graph_, id, [&](ValueId value) {
                    if (leaf_of[value] >= 0) {
                        auto& last = last_phase_[static_cast<std::size_t>(leaf_of[value])];
                        last = std::max(last, body_phase(id, phase));
                    }
                });
            }
        }
        for (std::size_t i = 0; i < parts_.leaves.size(); ++i) {
            if (needed_[parts_.leaves[i].read.node]) {
                place_birth(i);
            }
        }
    }

    // A scan's body runs together with the scan, which may be later than the nodes it reads.
    [[nodiscard]] std::uint32_t body_phase(NodeId id, std::uint32_t phase) const {
        return graph::scan_of(graph_, graph_.nodes[id].region) == 0 ? phase : plan_.phases.count - 1;
    }

    // The number of stages that have stepped before a phase.
    [[nodiscard]] std::size_t steps_before(std::uint32_t phase) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(plan_.sequence, [&](const StageRun& run) { return run.phase < phase; }));
    }

    void place_birth(std::size_t index) {
        const ParameterRead& leaf = parts_.leaves[index].read;
        const auto stage = static_cast<std::size_t>(leaf.after);
        const bool after = leaf.after >= 0 && is_due(plan_.variant.due, stage);
        const auto place = std::ranges::find(plan_.sequence, static_cast<std::uint32_t>(stage), &StageRun::stage) -
                           plan_.sequence.begin();
        const std::size_t born = after ? static_cast<std::size_t>(place) + 1 : 0;
        Birth birth{.leaf = index, .copy = false, .differentiable = differentiable_[index]};
        const std::size_t read_until = steps_before(last_phase_[index]);
        for (std::size_t k = born; k < read_until; ++k) {
            birth.copy = birth.copy || owns(parts_.stages[plan_.sequence[k].stage], leaf.network);
        }
        (after ? out_.stages[static_cast<std::size_t>(place)].births : out_.births).push_back(birth);
    }

    void place_nodes() {
        std::vector<NodeId> all;
        for (std::uint32_t phase = 0; phase < out_.phases.size(); ++phase) {
            for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
                if (!needed_[id] || graph::scan_of(graph_, graph_.nodes[id].region) != 0) {
                    continue;
                }
                const Source source = parts_.evaluator.step(id).source;
                const bool computed = source != Source::kLeaf && source != Source::kConstant;
                if (computed && plan_.phases.of_node[id] == phase) {
                    out_.phases[phase].nodes.push_back(id);
                    out_.phases[phase].with_gradient.push_back(with_gradient_[id]);
                    all.push_back(id);
                }
            }
        }
        std::vector<std::vector<ValueId>> freed = releases(parts_.evaluator, all, plan_.wanted);
        std::size_t at = 0;
        for (Order& phase : out_.phases) {
            for (std::size_t i = 0; i < phase.nodes.size(); ++i) {
                phase.release.push_back(std::move(freed[at++]));
            }
        }
    }

    const ScheduleParts& parts_;
    const PhasePlan& plan_;
    const graph::Graph& graph_;
    Schedule out_;
    std::vector<bool> needed_;
    std::vector<std::uint32_t> last_phase_;  // the last phase that reads a leaf; by leaf
    std::vector<bool> differentiable_;       // by leaf
    std::vector<bool> with_gradient_;        // by node
};

}  // namespace

Result<Schedule> make_schedule(const ScheduleParts& parts, const PhasePlan& plan) {
    return Planner(parts, plan).make();
}

}  // namespace tenon::reference
