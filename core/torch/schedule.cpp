// SPDX-License-Identifier: Apache-2.0
#include "torch/schedule.hpp"

#include <algorithm>

#include "graph/dependence.hpp"
#include "torch/guard.hpp"
#include "torch/releases.hpp"

namespace tenon::reference {
namespace {

using graph::NodeId;
using graph::ValueId;

class Planner {
public:
    Planner(const UpdateParts& parts, std::uint64_t due) : parts_(parts), graph_(parts.evaluator.graph()) {
        out_.due = due;
    }

    Result<Schedule> plan() {
        find_needed();
        find_phases();
        place_stages();
        if (Status found = find_gradients(); !found) {
            return found.error();
        }
        place_births();
        place_nodes();
        return std::move(out_);
    }

private:
    [[nodiscard]] bool is_due(std::uint32_t stage) const { return (out_.due >> stage & 1U) != 0; }

    [[nodiscard]] bool owns(std::uint32_t stage, std::size_t network) const {
        const auto& owned = parts_.stages[stage].owned;
        return std::ranges::find(owned, static_cast<std::uint32_t>(network)) != owned.end();
    }

    [[nodiscard]] std::uint32_t stage_named(const std::string& name) const {
        return static_cast<std::uint32_t>(std::ranges::find(graph_.stages, name, &graph::Stage::name) -
                                          graph_.stages.begin());
    }

    [[nodiscard]] std::vector<ValueId> losses_of(std::uint32_t stage) const {
        std::vector<ValueId> out;
        for (const graph::Loss& loss : graph_.losses) {
            if (loss.stage == stage) {
                out.push_back(loss.value);
            }
        }
        return out;
    }

    void find_needed() {
        std::vector<ValueId> wanted = parts_.effects;
        for (const graph::Loss& loss : graph_.losses) {
            if (is_due(loss.stage)) {
                wanted.push_back(loss.value);
            }
        }
        needed_ = graph::ancestors(graph_, wanted);
    }

    // Versions refer to stages declared before they are read, so one pass in the order of nodes is enough only once the
    // phases of those stages are known: stages are taken in turn.
    void find_phases() {
        stage_phase_.assign(graph_.stages.size(), 0);
        for (std::size_t round = 0; round <= graph_.stages.size(); ++round) {
            assign_phases();
            for (std::uint32_t stage = 0; stage < graph_.stages.size(); ++stage) {
                stage_phase_[stage] = 0;
                for (const ValueId loss : losses_of(stage)) {
                    stage_phase_[stage] = std::max(stage_phase_[stage], out_.phase_of_value[loss]);
                }
            }
        }
    }

    void assign_phases() {
        out_.phase_of_value.assign(graph_.values.size(), 0);
        std::vector<std::uint32_t> born(graph_.nodes.size(), 0);
        for (const Leaf& leaf : parts_.leaves) {
            if (!leaf.version.empty() && is_due(stage_named(leaf.version))) {
                born[leaf.node] = stage_phase_[stage_named(leaf.version)] + 1;
            }
        }
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            std::uint32_t phase = born[id];
            graph::for_each_read(graph_, id,
                                 [&](ValueId value) { phase = std::max(phase, out_.phase_of_value[value]); });
            for (std::uint32_t i = 0; i < graph_.nodes[id].output_count; ++i) {
                out_.phase_of_value[graph_.nodes[id].first_output + i] = phase;
            }
        }
    }

    void place_stages() {
        std::uint32_t last = 0;
        for (const ValueId value : parts_.effects) {
            last = std::max(last, out_.phase_of_value[value]);
        }
        for (std::uint32_t stage = 0; stage < graph_.stages.size(); ++stage) {
            last = is_due(stage) ? std::max(last, stage_phase_[stage]) : last;
        }
        out_.phases.resize(last + 1);
        position_.assign(graph_.stages.size(), 0);
        for (std::uint32_t phase = 0; phase <= last; ++phase) {
            steps_before_.push_back(sequence_.size());
            for (std::uint32_t stage = 0; stage < graph_.stages.size(); ++stage) {
                if (is_due(stage) && stage_phase_[stage] == phase) {
                    sequence_.push_back(stage);
                    position_[stage] = sequence_.size();
                    StageRun run{.stage = stage, .losses = {}, .gradients = {}, .births = {}};
                    for (std::uint32_t i = 0; i < graph_.losses.size(); ++i) {
                        if (graph_.losses[i].stage == stage) {
                            run.losses.push_back(i);
                        }
                    }
                    out_.phases[phase].stages.push_back(std::move(run));
                }
            }
        }
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
        const std::vector<bool> paths = graph::gradient_paths(graph_, losses_of(run.stage));
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
            const Leaf& leaf = parts_.leaves[i];
            if (!paths[leaf.value]) {
                continue;
            }
            last_phase_[i] = std::max(last_phase_[i], phase);  // its value may be kept for the backward pass
            if (leaf.trainable && owns(run.stage, leaf.network)) {
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
            const graph::Source& source = graph_.sources[stage.source];
            return plugin_problem(
                "the losses of the stage '" + stage.name + "' depend on no parameter of a network that it owns",
                Place{.file = source.file, .line = source.line, .column = source.column, .excerpt = {}});
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
            leaf_of[parts_.leaves[i].value] = static_cast<std::ptrdiff_t>(i);
        }
        for (NodeId id = 1; id < graph_.nodes.size(); ++id) {
            if (needed_[id] && graph_.nodes[id].output_count > 0) {
                const std::uint32_t phase = out_.phase_of_value[graph_.nodes[id].first_output];
                graph::for_each_read(graph_, id, [&](ValueId value) {
                    if (leaf_of[value] >= 0) {
                        auto& last = last_phase_[static_cast<std::size_t>(leaf_of[value])];
                        last = std::max(last, body_phase(id, phase));
                    }
                });
            }
        }
        for (std::size_t i = 0; i < parts_.leaves.size(); ++i) {
            if (needed_[parts_.leaves[i].node]) {
                place_birth(i);
            }
        }
    }

    // A scan's body runs when the scan does, which may be later than what it reads.
    [[nodiscard]] std::uint32_t body_phase(NodeId id, std::uint32_t phase) const {
        return graph::scan_of(graph_, graph_.nodes[id].region) == 0
                   ? phase
                   : static_cast<std::uint32_t>(out_.phases.size() - 1);
    }

    void place_birth(std::size_t index) {
        const Leaf& leaf = parts_.leaves[index];
        const bool after = !leaf.version.empty() && is_due(stage_named(leaf.version));
        const std::size_t born = after ? position_[stage_named(leaf.version)] : 0;
        Birth birth{.leaf = index, .copy = false, .differentiable = differentiable_[index]};
        for (std::size_t k = born; k < steps_before_[last_phase_[index]]; ++k) {
            birth.copy = birth.copy || owns(sequence_[k], leaf.network);
        }
        if (!after) {
            out_.births.push_back(birth);
            return;
        }
        for (Phase& phase : out_.phases) {
            for (StageRun& run : phase.stages) {
                if (run.stage == stage_named(leaf.version)) {
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
                if (computed && out_.phase_of_value[graph_.nodes[id].first_output] == phase) {
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
    std::vector<std::uint32_t> stage_phase_;
    std::vector<std::uint32_t> sequence_;    // due stages in the order of their steps
    std::vector<std::size_t> position_;      // in it, from 1; by stage
    std::vector<std::size_t> steps_before_;  // stages that have stepped when a phase is computed
    std::vector<std::uint32_t> last_phase_;  // in which a leaf is read; by leaf
    std::vector<bool> differentiable_;       // by leaf
    std::vector<bool> with_gradient_;        // by node
};

}  // namespace

Result<Schedule> make_schedule(const UpdateParts& parts, std::uint64_t due) {
    return Planner(parts, due).plan();
}

}  // namespace tenon::reference
