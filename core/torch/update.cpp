// SPDX-License-Identifier: Apache-2.0
#include "torch/update.hpp"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/stage_step.hpp"
#include "graph/text.hpp"
#include "torch/body.hpp"
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

class Update final : public Program {
public:
    Update(const ProgramSpec& spec, std::vector<StagePlan> stages, DType real, Learner& learner, PrintLine print)
        : body_(spec, real, learner, print, true),
          graph_(body_.graph),
          evaluator_(body_.evaluator),
          learner_(learner),
          stages_(std::move(stages)),
          real_(real),
          reduction_(evaluator_, body_.leading.value_or(std::vector<graph::Dim>{graph::kRows}), graph_.burn_in),
          steps_(stage_steps(stages_, learner)) {}

    Status prepare() {
        if (Status fits = check_stages(); !fits) {
            return fits;
        }
        if (Status ready = body_.prepare(); !ready) {
            return ready;
        }
        // with every stage due, which finds all possible errors
        const DueStages all = stages_.size() == kMostStages ? ~DueStages{0} : (DueStages{1} << stages_.size()) - 1;
        Result<const Schedule*> schedule = schedule_for(all);
        return schedule ? find_skip(**schedule) : Status{schedule.error()};
    }

    Status run(const Call& call) override {
        use_one_thread();
        const c10::AutoGradMode restore(false);
        Status done;
        try {
            done = run_guarded(call);
        } catch (...) {
            done = problem_of(std::current_exception(), body_.name, graph_, evaluator_.current());
        }
        clear();
        return done;
    }

private:
    Status check_stages() {
        if (stages_.size() != graph_.stages.size() || stages_.size() > kMostStages) {
            return plugin_problem("the program '" + body_.name + "' has " + std::to_string(graph_.stages.size()) +
                                  " stages, but there are plans for " + std::to_string(stages_.size()) +
                                  "; the maximum is 64");
        }
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            if (losses_of(graph_, i).empty()) {
                return plugin_problem("the stage '" + graph_.stages[i].name + "' has no loss",
                                      graph::place_of(graph_, graph_.stages[i].source));
            }
        }
        return {};
    }

    // Whether an update is skipped must be known before anything has changed.
    Status find_skip(const Schedule& schedule) {
        const auto found = std::ranges::find(graph_.controls, kSkipUpdate, &graph::Named::name);
        if (found == graph_.controls.end()) {
            return {};
        }
        skip_ = found->value;
        return schedule.phase_of_node[graph_.values[found->value].node] == 0
                   ? Status()
                   : graph::problem_at(graph_, graph_.values[found->value].node,
                                       "the control 'skip_update' depends on parameters after a stage's step, but it "
                                       "must be known before the first step");
    }

    Result<const Schedule*> schedule_for(DueStages due) {
        const auto found = std::ranges::find_if(schedules_, [&](const auto& s) { return s->due == due; });
        if (found != schedules_.end()) {
            return found->get();
        }
        Result<Schedule> made = make_schedule({evaluator_, stages_, body_.leaves, learner_, body_.effects}, due);
        if (!made) {
            return made.error();
        }
        schedules_.push_back(std::make_unique<Schedule>(std::move(*made)));
        return schedules_.back().get();
    }

    Status run_guarded(const Call& call) {
        Result<const Schedule*> found = schedule_for(due_stages(stages_, call.updates));
        if (!found) {
            return found.error();
        }
        const Schedule& schedule = **found;
        // a stage that is not due has no loss
        std::ranges::fill(call.losses, std::numeric_limits<double>::quiet_NaN());
        std::ranges::fill(call.gradient_norms, std::numeric_limits<double>::quiet_NaN());
        for (const Birth& birth : schedule.births) {
            bear(birth);
        }
        reduction_.begin(evaluator_, call);
        skipped_ = false;
        for (std::uint32_t phase = 0; phase < schedule.phases.size(); ++phase) {
            if (Status done = run_phase(schedule, phase, call); !done) {
                return done;
            }
        }
        if (!skipped_ && !call.part.dry) {
            body_.commit_state();
        }
        return {};
    }

    void bear(const Birth& birth) {
        Leaf& leaf = body_.leaves[birth.leaf];
        refresh(leaf, learner_, evaluator_.real());
        at::Tensor& value = evaluator_.value(leaf.read.value);
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
        if (Status done = body_.run_effects(call, schedule.phase_of_node, number); !done) {
            return done;
        }
        if (number == 0) {
            skipped_ = skip_ != 0 && mean_of(evaluator_.value(skip_)) != 0;
        }
        std::vector<std::vector<at::Tensor>> gradients(phase.stages.size());
        for (std::size_t i = 0; i < phase.stages.size() && !skipped_; ++i) {
            const bool last = i + 1 == phase.stages.size() && number + 1 == schedule.phases.size();
            Status done = differentiate_stage(schedule, number, phase.stages[i], call, !last, gradients[i]);
            if (!done && (call.not_finite == nullptr || number > 0)) {
                return done;
            }
            if (!done) {
                *call.not_finite = std::move(done).error();
                skipped_ = true;
            }
        }
        for (std::size_t i = 0; i < phase.stages.size(); ++i) {
            if (Status stepped = step(phase.stages[i], gradients[i], call); !stepped) {
                return stepped;
            }
        }
        return {};
    }

    Status differentiate_stage(const Schedule& schedule, std::uint32_t phase, const StageRun& run, const Call& call,
                               bool retain, std::vector<at::Tensor>& gradients) {
        at::Tensor total;
        if (Status reduced = reduce(schedule, phase, run, call, total); !reduced || !call.part.gradients) {
            return reduced;
        }
        gradients = differentiate(evaluator_, run, total, retain);
        // otherwise their norm is checked before the step
        return call.not_finite == nullptr ? Status()
                                          : check_gradients(evaluator_, learner_, run, gradients, body_.name);
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
                return blame(evaluator_, order_until(schedule, phase), call,
                             "the loss '" + loss.name + "' of the stage '" + graph_.stages[run.stage].name + "' is " +
                                 (std::isnan(value) ? "nan" : std::to_string(value)) + " in the program '" +
                                 body_.name + "'");
            }
        }
        return {};
    }

    // Leaves and constants come first, because they may be the first that are not finite.
    [[nodiscard]] std::vector<NodeId> order_until(const Schedule& schedule, std::uint32_t last) const {
        std::vector<NodeId> order;
        for (const Leaf& leaf : body_.leaves) {
            order.push_back(leaf.read.node);
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
        StageStep& at = steps_[run.stage];
        begin_part(at, call.part);
        if (!skipped_ && call.part.gradients) {
            store(learner_, evaluator_.real(), run, gradients, at.gathered > 0);
            ++at.gathered;
            leave_gradients(at, run.stage, call);
        }
        end_part(at, call.part);
        if (call.part.last && !call.part.dry && at.gathered > 0) {
            const double norm = step_stage(stages_[run.stage], at, real_, call.live);
            if (!call.gradient_norms.empty()) {
                call.gradient_norms[run.stage] = norm;
            }
            if (!std::isfinite(norm)) {
                return gradient_problem(evaluator_, learner_, run, body_.name);
            }
        }
        // nodes that read parameters after this stage read the present values, whether or not they have changed
        for (const Birth& birth : run.births) {
            bear(birth);
        }
        return {};
    }

    void clear() {
        for (ValueId value = 1; value < graph_.values.size(); ++value) {
            if (!evaluator_.persists(value)) {
                evaluator_.value(value).reset();
            }
        }
    }

    Body body_;
    const graph::Graph& graph_;
    Evaluator& evaluator_;
    Learner& learner_;
    std::vector<StagePlan> stages_;
    DType real_;
    LossReduction reduction_;
    std::vector<std::unique_ptr<Schedule>> schedules_;  // by set of due stages, in order of first use
    std::vector<StageStep> steps_;                      // by stage
    ValueId skip_ = 0;                                  // of the control skip_update
    bool skipped_ = false;
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
