// SPDX-License-Identifier: Apache-2.0
#include "torch/schedule.hpp"

#include <algorithm>

#include "graph/dependence.hpp"
#include "graph/text.hpp"
#include "torch/releases.hpp"

namespace tenon::reference {
namespace {

using graph::NodeId;
using graph::ValueId;

class Planner {
public:
    Planner(const UpdateParts& parts, DueStages due) : parts_(parts), graph_(parts.evaluator.graph()) {
        out_.due = due;
    }

    Result<Schedule> plan() {
        find_needed();
        place_stages();
        if (Status found = find_gradients(); !found) {
            return found.error();
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

    void find_needed() {
        std::vector<ValueId> wanted = parts_.effects;
        for (const graph::Loss& loss : graph_.losses) {
            if (is_due(out_.due, loss.stage)) {
                wanted.push_back(loss.value);
            }
        }
        needed_ = graph::ancestors(graph_, wanted);
    }

    void place_stages() {
        std::vector<ParameterRead> reads;
        for (const Leaf& leaf : parts_.leaves) {
            reads.push_back(leaf.read);
        }
        Phases phases = find_phases(graph_, reads, out_.due);
        out_.phases.resize(phases.count);
        position_.assign(graph_.stages.size(), 0);
        steps_before_.assign(phases.count, 0);
        for (std::size_t i = 0; i < phases.sequence.size(); ++i) {
            const std::uint32_t stage = phases.sequence[i];
            position_[stage] = i + 1;
            const std::uint32_t phase = phases.of_stage[stage];
            for (std::uint32_t later = phase + 1; later < phases.count; ++later) {
                steps_before_[later] = i + 1;
            }
            out_.phases[phase].stages.push_back(
                {.stage = stage, .losses = losses_of(graph_, stage), .gradients = {}, .births = {}});
        }
        sequence_ = std::move(phases.sequence);
        out_.phase_of_node = std::move(phases.of_node);
    }

    Status find_gradients() {
        last_phase_.assign(parts_.leaves.size(), 0);
        differentiable_.assign(parts_.leaves.size(), false);
        with_gradient_.assign(graph_.nodes.size(), false);
        for (std::uint32_t phase = 0; phase < out_.phases.size(); ++phase) {
            for (StageRun& run : out_.phases[phase].stages) {
                if (Status found = find_gradients_of(run, phase); !found) {
                    return found;
                }
            }
        }
        return {};
    }

    Status find_gradients_of(StageRun& run, std::uint32_t phase) {
        const std::vector<bool> paths = graph::gradient_paths(graph_, values_of(run.losses));
        std::vector<ValueId> targets;
        for (const std::uint32_t network : parts_.stages[run.stage].owned) {
            const auto& parameters = parts_.learner.networks[network].layout.parameters;
            for (std::size_t i = 0; i < parameters.size(); ++i) {
                if (parameters[i].trainable) {
                    run.gradients.push_back({.network = network, .parameter = i, .leaves = {}});
                }
            }
        }
        for (std::size_t i = 0; i < parts_.leaves.size(); ++i) {
            const ParameterRead& leaf = parts_.leaves[i].read;
            if (!paths[leaf.value]) {
                continue;
            }
            last_phase_[i] = std::max(last_phase_[i], phase);  // the backward pass may keep its value
            if (leaf.trainable && owns(parts_.stages[run.stage], leaf.network)) {
                differentiable_[i] = true;
                targets.push_back(leaf.value);
                for (Gradient& gradient : run.gradients) {
                    if (gradient.network == leaf.network && gradient.parameter == leaf.parameter) {
                        gradient.leaves.push_back(leaf.value);
                    }
                }
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
                const std::uint32_t phase = out_.phase_of_node[id];
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
        return graph::scan_of(graph_, graph_.nodes[id].region) == 0
                   ? phase
                   : static_cast<std::uint32_t>(out_.phases.size() - 1);
    }

    void place_birth(std::size_t index) {
        const ParameterRead& leaf = parts_.leaves[index].read;
        const auto stage = static_cast<std::size_t>(leaf.after);
        const bool after = leaf.after >= 0 && is_due(out_.due, stage);
        const std::size_t born = after ? position_[stage] : 0;
        Birth birth{.leaf = index, .copy = false, .differentiable = differentiable_[index]};
        for (std::size_t k = born; k < steps_before_[last_phase_[index]]; ++k) {
            birth.copy = birth.copy || owns(parts_.stages[sequence_[k]], leaf.network);
        }
        if (!after) {
            out_.births.push_back(birth);
            return;
        }
        for (Phase& phase : out_.phases) {
            for (StageRun& run : phase.stages) {
                if (run.stage == stage) {
                    run.births.push_back(birth);
                }
            }
        }
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
                if (computed && out_.phase_of_node[id] == phase) {
                    out_.phases[phase].order.push_back(id);
                    out_.phases[phase].with_gradient.push_back(with_gradient_[id]);
                    all.push_back(id);
                }
            }
        }
        std::vector<ValueId> kept = parts_.effects;
        for (const graph::Loss& loss : graph_.losses) {
            kept.push_back(loss.value);
        }
        std::vector<std::vector<ValueId>> freed = releases(parts_.evaluator, all, kept);
        std::size_t at = 0;
        for (Phase& phase : out_.phases) {
            for (std::size_t i = 0; i < phase.order.size(); ++i) {
                phase.release.push_back(std::move(freed[at++]));
            }
        }
    }

    const UpdateParts& parts_;
    const graph::Graph& graph_;
    Schedule out_;
    std::vector<bool> needed_;
    std::vector<std::uint32_t> sequence_;    // due stages in the order of their steps
    std::vector<std::size_t> position_;      // index in the sequence, from 1; by stage
    std::vector<std::size_t> steps_before_;  // number of stages that have stepped before a phase
    std::vector<std::uint32_t> last_phase_;  // the last phase that reads a leaf; by leaf
    std::vector<bool> differentiable_;       // by leaf
    std::vector<bool> with_gradient_;        // by node
};

}  // namespace

Result<Schedule> make_schedule(const UpdateParts& parts, DueStages due) {
    return Planner(parts, due).plan();
}

}  // namespace tenon::reference
