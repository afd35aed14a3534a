// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/computation.hpp"

#include <ATen/ops/add.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <utility>

#include "engines/torch/diagnose.hpp"
#include "engines/torch/effects.hpp"
#include "engines/torch/gradients.hpp"
#include "engines/torch/guard.hpp"

namespace tenon::reference {

using graph::NodeId;
using graph::ValueId;

Computation::Computation(const ProgramSpec& spec, const std::vector<StagePlan>& stages, DType real, Learner& learner,
                         Placement placement)
    : spec_(spec), stages_(stages), real_(real), learner_(learner), placement_(std::move(placement)) {}

Status Computation::prepare(const PhasePlan& plan) {
    const at::NoGradGuard no_grad;
    Body* body = TENON_TRY(body_for(plan));
    Schedule schedule = TENON_TRY(make_schedule({body->evaluator, stages_, body->leaves}, plan));
    schedules_.push_back(std::make_unique<Schedule>(std::move(schedule)));
    return {};
}

void Computation::choose(const PhasePlan& plan) {
    schedule_ = std::ranges::find(schedules_, &plan, [](const auto& each) { return each->plan; })->get();
    body_ = known_body(plan);
    gradients_.resize(plan.sequence.size());
}

Status Computation::begin(const PhasePlan& plan, const Call& /*call*/, bool /*keeps*/) {
    choose(plan);
    bear(schedule_->births);
    return {};
}

void Computation::compute_node(const Order& order, std::size_t i, const Call& call) {
    if (!stages_.empty()) {
        c10::GradMode::set_enabled(order.with_gradient[i]);
    }
    body_->evaluator.compute(order.nodes[i], call);
    for (const ValueId value : order.release[i]) {
        body_->evaluator.value(value).reset();
    }
}

Status Computation::compute(std::uint32_t phase, const Call& call) {
    const Order& order = schedule_->phases[phase];
    for (std::size_t i = 0; i < order.nodes.size(); ++i) {
        compute_node(order, i, call);
    }
    c10::GradMode::set_enabled(false);
    return {};
}

double Computation::mean(std::size_t effect) {
    return mean_of(value_of(effect));
}

std::vector<double> Computation::elements(std::size_t effect) {
    return elements_of(value_of(effect));
}

Status Computation::check(std::size_t effect, const Call& /*call*/) {
    const Effect& check = plan().effects[effect];
    return reference::check(body_->evaluator, body_->graph->checks[check.index], spec_.name);
}

void Computation::write(std::size_t effect, void* memory, const Call& call) {
    const Effect& write = plan().effects[effect];
    write_output(body_->evaluator, write.value, spec_.outputs[write.index], memory, call.sizes, body_->leading);
}

double Computation::loss(std::size_t index) {
    return value_of_loss(index).item<double>();
}

void Computation::differentiate(std::size_t place) {
    const StageRun& run = plan().sequence[place];
    at::Tensor total;
    for (const std::uint32_t loss : run.losses) {
        const c10::AutoGradMode with_gradient(true);
        total = total.defined() ? at::add(total, value_of_loss(loss)) : value_of_loss(loss);
    }
    const bool is_last = place + 1 == plan().sequence.size() && run.phase + 1 == plan().phases.count;
    gradients_[place] = reference::differentiate(body_->evaluator, schedule_->stages[place], total, !is_last);
}

std::optional<std::size_t> Computation::bad_gradient(std::size_t place) {
    return reference::bad_gradient(schedule_->stages[place], gradients_[place]);
}

void Computation::store_gradients(std::size_t place, bool add) {
    store(learner_, placement_, plan().sequence[place], schedule_->stages[place], gradients_[place], add);
}

// Nodes that read parameters after this stage read the present values, whether or not they have changed.
void Computation::stepped(std::size_t place) {
    gradients_[place].clear();
    bear(schedule_->stages[place].births);
}

Problem Computation::blame(std::string what, std::uint32_t phase, const Call& call) {
    return reference::blame(body_->evaluator, order_until(phase), call, std::move(what));
}

Problem Computation::problem_of_run(std::exception_ptr thrown) const {
    const Body& body = body_ == nullptr ? *bodies_.front() : *body_;
    return problem_of(std::move(thrown), spec_.name, *body.graph, body.evaluator.current());
}

void Computation::clear() {
    if (body_ == nullptr) {
        return;
    }
    gradients_.clear();
    for (ValueId value = 1; value < body_->graph->values.size(); ++value) {
        if (!body_->evaluator.persists(value)) {
            body_->evaluator.value(value).reset();
        }
    }
}

// The body of another plan with the same graph; null if there is none.
Body* Computation::known_body(const PhasePlan& plan) const {
    const auto known = std::ranges::find_if(bodies_, [&](const auto& each) { return each->graph == plan.graph; });
    return known == bodies_.end() ? nullptr : known->get();
}

Result<Body*> Computation::body_for(const PhasePlan& plan) {
    if (Body* const known = known_body(plan); known != nullptr) {
        return known;
    }
    auto body = std::make_unique<Body>(spec_, plan, real_, learner_, placement_);
    TENON_TRY(body->prepare(spec_, plan));
    bodies_.push_back(std::move(body));
    return bodies_.back().get();
}

void Computation::bear(const std::vector<Birth>& births) {
    for (const Birth& birth : births) {
        Leaf& leaf = body_->leaves[birth.leaf];
        refresh(leaf, learner_, placement_);
        at::Tensor& value = body_->evaluator.value(leaf.read.value);
        if (birth.copy) {
            value = leaf.view.clone().requires_grad_(birth.differentiable);
        } else {
            value = birth.differentiable ? leaf.differentiable : leaf.view;
        }
    }
}

// Leaves and constants come first, because they may be the first that are not finite.
std::vector<NodeId> Computation::order_until(std::uint32_t last) const {
    std::vector<NodeId> order;
    for (const Leaf& leaf : body_->leaves) {
        if (body_->evaluator.value(leaf.read.value).defined()) {
            order.push_back(leaf.read.node);
        }
    }
    for (std::uint32_t phase = 0; phase <= last; ++phase) {
        const std::vector<NodeId>& nodes = schedule_->phases[phase].nodes;
        order.insert(order.end(), nodes.begin(), nodes.end());
    }
    return order;
}

}  // namespace tenon::reference
