// SPDX-License-Identifier: Apache-2.0
#include "compute/torch/program.hpp"

#include <ATen/core/grad_mode.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compute/exec/driver.hpp"
#include "compute/torch/body.hpp"
#include "compute/torch/diagnose.hpp"
#include "compute/torch/effects.hpp"
#include "compute/torch/gradients.hpp"
#include "compute/torch/guard.hpp"
#include "compute/torch/schedule.hpp"

namespace tenon::reference {
namespace {

using graph::NodeId;
using graph::ValueId;

class Computation final : public Phased {
public:
    Computation(const ProgramSpec& spec, const std::vector<StagePlan>& stages, DType real, Learner& learner)
        : spec_(spec), stages_(stages), real_(real), learner_(learner) {}

    Status prepare(const PhasePlan& plan) override {
        const at::NoGradGuard no_grad;
        Result<Body*> body = body_for(plan);
        if (!body) {
            return std::move(body).error();
        }
        Result<Schedule> schedule = make_schedule({(*body)->evaluator, stages_, (*body)->leaves}, plan);
        if (!schedule) {
            return std::move(schedule).error();
        }
        schedules_.push_back(std::make_unique<Schedule>(std::move(*schedule)));
        return {};
    }

    Status begin(const PhasePlan& plan, const Call& /*call*/) override {
        schedule_ = std::ranges::find(schedules_, &plan, [](const auto& each) { return each->plan; })->get();
        body_ = known_body(plan);
        gradients_.resize(plan.sequence.size());
        for (const Birth& birth : schedule_->births) {
            bear(birth);
        }
        return {};
    }

    Status compute(std::uint32_t phase, const Call& call) override {
        const Order& order = schedule_->phases[phase];
        for (std::size_t i = 0; i < order.nodes.size(); ++i) {
            if (!stages_.empty()) {
                c10::GradMode::set_enabled(order.with_gradient[i]);
            }
            body_->evaluator.compute(order.nodes[i], call);
            for (const ValueId value : order.release[i]) {
                body_->evaluator.value(value).reset();
            }
        }
        c10::GradMode::set_enabled(false);
        return {};
    }

    double mean(std::size_t effect) override { return mean_of(value_of(effect)); }

    std::vector<double> elements(std::size_t effect) override { return elements_of(value_of(effect)); }

    Status check(std::size_t effect, const Call& /*call*/) override {
        const Effect& check = plan().effects[effect];
        return reference::check(body_->evaluator, body_->graph->checks[check.index], spec_.name);
    }

    void write(std::size_t effect, void* memory, const Call& call) override {
        const Effect& write = plan().effects[effect];
        write_output(body_->evaluator, write.value, spec_.outputs[write.index], memory, call.sizes, body_->leading);
    }

    double loss(std::size_t index) override { return value_of_loss(index).item<double>(); }

    void differentiate(std::size_t place) override {
        const StageRun& run = plan().sequence[place];
        at::Tensor total;
        for (const std::uint32_t loss : run.losses) {
            const c10::AutoGradMode with_gradient(true);
            total = total.defined() ? at::add(total, value_of_loss(loss)) : value_of_loss(loss);
        }
        const bool is_last = place + 1 == plan().sequence.size() && run.phase + 1 == plan().phases.count;
        gradients_[place] = reference::differentiate(body_->evaluator, schedule_->stages[place], total, !is_last);
    }

    std::optional<std::size_t> bad_gradient(std::size_t place) override {
        return reference::bad_gradient(schedule_->stages[place], gradients_[place]);
    }

    void store_gradients(std::size_t place, bool add) override {
        store(learner_, body_->evaluator.real(), plan().sequence[place], schedule_->stages[place], gradients_[place],
              add);
    }

    // Nodes that read parameters after this stage read the present values, whether or not they have changed.
    void stepped(std::size_t place) override {
        gradients_[place].clear();
        for (const Birth& birth : schedule_->stages[place].births) {
            bear(birth);
        }
    }

    void commit_states() override { body_->commit_states(); }

    Problem blame(std::string what, std::uint32_t phase, const Call& call) override {
        return reference::blame(body_->evaluator, order_until(phase), call, std::move(what));
    }

    // The problem of what was thrown in a run.
    [[nodiscard]] Problem problem_of_run(std::exception_ptr thrown) const {
        const Body& body = body_ == nullptr ? *bodies_.front() : *body_;
        return problem_of(std::move(thrown), spec_.name, *body.graph, body.evaluator.current());
    }

    // Releases what the run has computed.
    void clear() {
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

private:
    // That of another plan with the same graph; null if there is none.
    [[nodiscard]] Body* known_body(const PhasePlan& plan) const {
        const auto known = std::ranges::find_if(bodies_, [&](const auto& each) { return each->graph == plan.graph; });
        return known == bodies_.end() ? nullptr : known->get();
    }

    Result<Body*> body_for(const PhasePlan& plan) {
        if (Body* const known = known_body(plan); known != nullptr) {
            return known;
        }
        auto body = std::make_unique<Body>(spec_, plan, real_, learner_);
        if (Status ready = body->prepare(spec_, plan); !ready) {
            return std::move(ready).error();
        }
        bodies_.push_back(std::move(body));
        return bodies_.back().get();
    }

    [[nodiscard]] const PhasePlan& plan() const { return *schedule_->plan; }
    at::Tensor& value_of(std::size_t effect) { return body_->evaluator.value(plan().effects[effect].value); }
    at::Tensor& value_of_loss(std::size_t index) { return body_->evaluator.value(body_->graph->losses[index].value); }

    void bear(const Birth& birth) {
        Leaf& leaf = body_->leaves[birth.leaf];
        refresh(leaf, learner_, body_->evaluator.real());
        at::Tensor& value = body_->evaluator.value(leaf.read.value);
        if (birth.copy) {
            value = leaf.view.clone().requires_grad_(birth.differentiable);
        } else {
            value = birth.differentiable ? leaf.differentiable : leaf.view;
        }
    }

    // Leaves and constants come first, because they may be the first that are not finite.
    [[nodiscard]] std::vector<NodeId> order_until(std::uint32_t last) const {
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

    ProgramSpec spec_;
    std::vector<StagePlan> stages_;
    DType real_;
    Learner& learner_;
    std::vector<std::unique_ptr<Body>> bodies_;         // by graph
    std::vector<std::unique_ptr<Schedule>> schedules_;  // by plan
    Body* body_ = nullptr;                              // this and the members below: of the present run
    const Schedule* schedule_ = nullptr;
    std::vector<std::vector<at::Tensor>> gradients_;  // by place
};

// Keeps what libtorch throws, and the modes of its threads, inside.
class Guarded final : public Program {
public:
    Guarded(std::unique_ptr<Program> driver, Computation& computation, bool updates)
        : driver_(std::move(driver)), computation_(computation), updates_(updates) {}

    Status run(const Call& call) override {
        use_one_thread();
        const c10::AutoGradMode no_gradient(false);
        std::optional<c10::InferenceMode> inference;
        if (!updates_) {
            inference.emplace();
        }
        Status done;
        try {
            done = driver_->run(call);
        } catch (...) {
            done = computation_.problem_of_run(std::current_exception());
        }
        if (updates_) {
            computation_.clear();
        }
        return done;
    }

private:
    std::unique_ptr<Program> driver_;
    Computation& computation_;  // of the driver
    bool updates_;
};

}  // namespace

Result<std::unique_ptr<Program>> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, DType real,
                                              Learner& learner, PrintLine print) {
    const at::NoGradGuard no_grad;
    const bool updates = !stages.empty();
    auto computation = std::make_unique<Computation>(spec, stages, real, learner);
    Computation& seen = *computation;
    Result<std::unique_ptr<Program>> driver = drive(spec, std::move(stages), learner, std::move(computation), print);
    if (!driver) {
        return driver;
    }
    return std::unique_ptr<Program>(std::make_unique<Guarded>(std::move(*driver), seen, updates));
}

}  // namespace tenon::reference
