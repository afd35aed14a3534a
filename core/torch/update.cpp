// SPDX-License-Identifier: Apache-2.0
#include "torch/update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/clip.hpp"
#include "torch/dependence.hpp"
#include "torch/diagnose.hpp"
#include "torch/effects.hpp"
#include "torch/gradients.hpp"
#include "torch/guard.hpp"
#include "torch/loss.hpp"
#include "torch/schedule.hpp"

namespace tenon::reference {
namespace {

using graph::NodeId;
using graph::ValueId;

constexpr std::size_t kMostStages = 64;  // the due ones are a set of bits

std::vector<ValueId> effect_values(const graph::Graph& graph) {
    std::vector<ValueId> out;
    for (const auto* list :
         {&graph.writes, &graph.metrics, &graph.controls, &graph.state_writes, &graph.checks, &graph.prints}) {
        for (const graph::Named& named : *list) {
            out.push_back(named.value);
        }
    }
    return out;
}

struct StateWrite {
    std::size_t network = 0;
    std::size_t parameter = 0;
    ValueId value = 0;
};

class Update final : public Program {
public:
    Update(const ProgramSpec& spec, std::vector<StagePlan> stages, DType real, Learner& learner, PrintLine print)
        : name_(spec.name),
          graph_(*spec.graph),
          outputs_(spec.outputs),
          stages_(std::move(stages)),
          real_(real),
          learner_(learner),
          print_(print),
          evaluator_(graph_, real, spec.seed, spec.inputs, learner),
          leading_(leading_of(graph_)),
          reduction_(evaluator_, leading_.value_or(std::vector<graph::Dim>{graph::kRows})),
          effects_(effect_values(graph_)) {}

    Status prepare() {
        if (Status fits = check_stages(); !fits) {
            return fits;
        }
        std::vector<ValueId> wanted = effects_;
        for (const graph::Loss& loss : graph_.losses) {
            wanted.push_back(loss.value);
        }
        const std::vector<bool> needed = ancestors(graph_, wanted);
        if (Status added = evaluator_.add_all(needed); !added) {
            return added;
        }
        Result<std::vector<Leaf>> leaves = find_leaves(evaluator_, needed, learner_);
        if (!leaves) {
            return leaves.error();
        }
        leaves_ = std::move(*leaves);
        for (std::size_t i = 0; i < graph_.writes.size() && i < outputs_.size(); ++i) {
            if (Status fits = fits_output(graph_, graph_.writes[i], outputs_[i]); !fits) {
                return fits;
            }
        }
        if (Status found = find_state_writes(); !found) {
            return found;
        }
        // every stage due: shows what can be wrong with any of them
        const std::uint64_t all =
            stages_.size() == kMostStages ? ~std::uint64_t{0} : (std::uint64_t{1} << stages_.size()) - 1;
        Result<const Schedule*> schedule = schedule_for(all);
        return schedule ? Status{} : Status{schedule.error()};
    }

    Status run(const Call& call) override {
        use_one_thread();
        const c10::AutoGradMode restore(false);
        Status done;
        try {
            done = run_guarded(call);
        } catch (...) {
            done = problem_of(std::current_exception(), name_, graph_, evaluator_.current());
        }
        clear();
        return done;
    }

private:
    Status check_stages() {
        if (stages_.size() != graph_.stages.size() || stages_.size() > kMostStages) {
            return plugin_problem("the program '" + name_ + "' has " + std::to_string(graph_.stages.size()) +
                                  " stages and plans for " + std::to_string(stages_.size()) +
                                  "; there may be 64 at most");
        }
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            const bool has =
                std::ranges::any_of(graph_.losses, [&](const graph::Loss& loss) { return loss.stage == i; });
            if (!has) {
                const graph::Source& source = graph_.sources[graph_.stages[i].source];
                return plugin_problem(
                    "the stage '" + graph_.stages[i].name + "' has no loss",
                    Place{.file = source.file, .line = source.line, .column = source.column, .excerpt = {}});
            }
        }
        return {};
    }

    Status find_state_writes() {
        for (const graph::Named& write : graph_.state_writes) {
            const std::size_t slash = write.name.find('/');
            const std::string role = write.name.substr(0, slash);
            Network* network = learner_.find(role);
            const Parameter* parameter =
                network == nullptr ? nullptr : network->layout.find(write.name.substr(slash + 1));
            if (parameter == nullptr) {
                return at_node(graph_, graph_.values[write.value].node,
                               "there is no state '" + write.name + "' to be written");
            }
            state_writes_.push_back({static_cast<std::size_t>(network - learner_.networks.data()),
                                     static_cast<std::size_t>(parameter - network->layout.parameters.data()),
                                     write.value});
        }
        return {};
    }

    Result<const Schedule*> schedule_for(std::uint64_t due) {
        const auto found = std::ranges::find_if(schedules_, [&](const auto& s) { return s->due == due; });
        if (found != schedules_.end()) {
            return found->get();
        }
        Result<Schedule> made = make_schedule({evaluator_, stages_, leaves_, learner_, effects_}, due);
        if (!made) {
            return made.error();
        }
        schedules_.push_back(std::make_unique<Schedule>(std::move(*made)));
        return schedules_.back().get();
    }

    [[nodiscard]] std::uint64_t due_at(double updates) const {
        const auto count = static_cast<std::int64_t>(updates);
        std::uint64_t due = 0;
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            due |= static_cast<std::uint64_t>(count % std::max<std::int64_t>(stages_[i].every, 1) == 0) << i;
        }
        return due;
    }

    Status run_guarded(const Call& call) {
        Result<const Schedule*> found = schedule_for(due_at(call.updates));
        if (!found) {
            return found.error();
        }
        const Schedule& schedule = **found;
        // a stage that is not due has no loss this time
        std::ranges::fill(call.losses, std::numeric_limits<double>::quiet_NaN());
        std::ranges::fill(call.gradient_norms, std::numeric_limits<double>::quiet_NaN());
        for (const Birth& birth : schedule.births) {
            bear(birth);
        }
        reduction_.begin(evaluator_, call);
        for (std::uint32_t phase = 0; phase < schedule.phases.size(); ++phase) {
            if (Status done = run_phase(schedule, phase, call); !done) {
                return done;
            }
        }
        commit_state();
        return {};
    }

    void bear(const Birth& birth) {
        Leaf& leaf = leaves_[birth.leaf];
        refresh(leaf, learner_, evaluator_.real());
        at::Tensor& value = evaluator_.value(leaf.value);
        if (birth.copy) {
            value = leaf.view.clone().requires_grad_(birth.differentiable);
        } else {
            value = birth.differentiable ? leaf.differentiable : leaf.view;
        }
    }

    Status run_phase(const Schedule& schedule, std::uint32_t number, const Call& call) {
        const Phase& phase = schedule.phases[number];
        for (std::size_t i = 0; i < phase.order.size(); ++i) {
            c10::GradMode::set_enabled(phase.with_gradient[i]);
            evaluator_.compute(phase.order[i], call);
            for (const ValueId value : phase.release[i]) {
                evaluator_.value(value).reset();
            }
        }
        c10::GradMode::set_enabled(false);
        if (Status done = effects(schedule, number, call); !done) {
            return done;
        }
        std::vector<std::vector<at::Tensor>> gradients;
        for (const StageRun& run : phase.stages) {
            at::Tensor total;
            if (Status reduced = reduce(schedule, number, run, call, total); !reduced) {
                return reduced;
            }
            const bool last = &run == &phase.stages.back() && number + 1 == schedule.phases.size();
            gradients.push_back(differentiate(evaluator_, run, total, !last));
        }
        for (std::size_t i = 0; i < phase.stages.size(); ++i) {
            if (Status stepped = step(phase.stages[i], gradients[i], call); !stepped) {
                return stepped;
            }
        }
        return {};
    }

    Status reduce(const Schedule& schedule, std::uint32_t phase, const StageRun& run, const Call& call,
                  at::Tensor& total) {
        for (const std::uint32_t index : run.losses) {
            const graph::Loss& loss = graph_.losses[index];
            c10::GradMode::set_enabled(true);
            const at::Tensor term = reduction_.reduce(evaluator_.value(loss.value), graph_.type(loss.value));
            total = total.defined() ? at::add(total, term) : term;
            c10::GradMode::set_enabled(false);
            const double value = term.item<double>();
            if (!call.losses.empty()) {
                call.losses[index] = value;
            }
            if (!std::isfinite(value)) {
                return blame(
                    evaluator_, order_until(schedule, phase), call,
                    "the loss '" + loss.name + "' is " + std::to_string(value) + " in the program '" + name_ + "'");
            }
        }
        return {};
    }

    // Leaves and constants first: they may be the first that is not finite.
    [[nodiscard]] std::vector<NodeId> order_until(const Schedule& schedule, std::uint32_t last) const {
        std::vector<NodeId> order;
        for (const Leaf& leaf : leaves_) {
            order.push_back(leaf.node);
        }
        std::erase_if(order, [&](NodeId id) {
            return !const_cast<Evaluator&>(evaluator_).value(graph_.nodes[id].first_output).defined();
        });
        for (std::uint32_t phase = 0; phase <= last; ++phase) {
            order.insert(order.end(), schedule.phases[phase].order.begin(), schedule.phases[phase].order.end());
        }
        return order;
    }

    Status step(const StageRun& run, const std::vector<at::Tensor>& gradients, const Call& call) {
        const StagePlan& plan = stages_[run.stage];
        std::vector<Network*> owned;
        for (const std::uint32_t network : plan.owned) {
            owned.push_back(&learner_.networks[network]);
        }
        store(learner_, evaluator_.real(), run, gradients);
        const double norm = gradient_norm(owned, real_);
        if (!call.gradient_norms.empty()) {
            call.gradient_norms[run.stage] = norm;
        }
        if (!std::isfinite(norm)) {
            return gradient_problem(evaluator_, learner_, run, name_);
        }
        clip_gradients(owned, real_, norm, plan.optimiser.clip_norm);
        for (std::size_t i = 0; i < owned.size(); ++i) {
            optimiser_step(*owned[i], real_, plan.optimiser, call.live);
            if (i < plan.targets.size()) {
                update_target(*owned[i], real_, plan.targets[i], call.live);
            }
        }
        for (const Birth& birth : run.births) {
            bear(birth);
        }
        return {};
    }

    [[nodiscard]] bool belongs(const Schedule& schedule, const graph::Named& named, std::uint32_t phase) const {
        return schedule.phase_of_value[named.value] == phase;
    }

    Status effects(const Schedule& schedule, std::uint32_t phase, const Call& call) {
        for (const graph::Named& print : graph_.prints) {
            if (print_ != nullptr && belongs(schedule, print, phase)) {
                print_(print_line(evaluator_, print));
            }
        }
        for (const graph::Named& named : graph_.checks) {
            if (belongs(schedule, named, phase)) {
                if (Status passed = check(evaluator_, named, name_); !passed) {
                    return passed;
                }
            }
        }
        for (std::size_t i = 0; i < call.metrics.size(); ++i) {
            if (belongs(schedule, graph_.metrics[i], phase)) {
                call.metrics[i] = mean_of(evaluator_.value(graph_.metrics[i].value));
            }
        }
        for (std::size_t i = 0; i < call.controls.size(); ++i) {
            if (belongs(schedule, graph_.controls[i], phase)) {
                call.controls[i] = mean_of(evaluator_.value(graph_.controls[i].value));
            }
        }
        for (std::size_t i = 0; i < call.outputs.size(); ++i) {
            if (call.outputs[i] != nullptr && belongs(schedule, graph_.writes[i], phase)) {
                write_output(evaluator_, graph_.writes[i].value, outputs_[i], call.outputs[i], call.sizes, leading_);
            }
        }
        return {};
    }

    // All values first: one state may be the next value of another.
    void commit_state() {
        std::vector<at::Tensor> values;
        for (const StateWrite& write : state_writes_) {
            values.push_back(evaluator_.value(write.value).detach().clone());
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Network& network = learner_.networks[state_writes_[i].network];
            view_of(network.layout, network.layout.parameters[state_writes_[i].parameter], network.live,
                    evaluator_.real())
                .copy_(values[i]);
        }
    }

    void clear() {
        for (ValueId value = 1; value < graph_.values.size(); ++value) {
            if (!evaluator_.persists(value)) {
                evaluator_.value(value).reset();
            }
        }
    }

    std::string name_;
    const graph::Graph graph_;  // a copy: the caller's may go
    std::vector<PortSpec> outputs_;
    std::vector<StagePlan> stages_;
    DType real_;
    Learner& learner_;
    PrintLine print_;
    Evaluator evaluator_;
    std::optional<std::vector<graph::Dim>> leading_;
    LossReduction reduction_;
    std::vector<ValueId> effects_;
    std::vector<Leaf> leaves_;
    std::vector<StateWrite> state_writes_;
    std::vector<std::unique_ptr<Schedule>> schedules_;  // by set of due stages, as they came
};

}  // namespace

Result<std::unique_ptr<Program>> make_update(const ProgramSpec& spec, std::vector<StagePlan> stages, DType real,
                                             Learner& learner, PrintLine print) {
    const at::NoGradGuard no_grad;
    auto program = std::make_unique<Update>(spec, std::move(stages), real, learner, print);
    if (Status ready = program->prepare(); !ready) {
        return ready.error();
    }
    return std::unique_ptr<Program>(std::move(program));
}

}  // namespace tenon::reference
