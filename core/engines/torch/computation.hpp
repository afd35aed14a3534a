// SPDX-License-Identifier: Apache-2.0
// The phases of a program as libtorch computes them, one kernel after the other, on the host.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/exec/phased.hpp"
#include "engines/torch/body.hpp"
#include "engines/torch/schedule.hpp"

namespace tenon::reference {

class Computation : public Phased {
public:
    Computation(const ProgramSpec& spec, const std::vector<StagePlan>& stages, DType real, Learner& learner,
                Placement placement = {});

    Status prepare(const PhasePlan& plan) override;
    Status begin(const PhasePlan& plan, const Call& call, bool keeps) override;
    Status compute(std::uint32_t phase, const Call& call) override;
    double mean(std::size_t effect) override;
    std::vector<double> elements(std::size_t effect) override;
    Status check(std::size_t effect, const Call& call) override;
    void write(std::size_t effect, void* memory, const Call& call) override;
    double loss(std::size_t index) override;
    void differentiate(std::size_t place) override;
    std::optional<std::size_t> bad_gradient(std::size_t place) override;
    void store_gradients(std::size_t place, bool add) override;
    void stepped(std::size_t place) override;
    void commit_states() override { body_->commit_states(); }
    Problem blame(std::string what, std::uint32_t phase, const Call& call) override;

    // The problem of an exception in a run.
    [[nodiscard]] Problem problem_of_run(std::exception_ptr thrown) const;
    // Releases what the run has computed.
    void clear();

protected:
    // Chooses a plan that has been prepared.
    void choose(const PhasePlan& plan);
    void compute_node(const Order& order, std::size_t i, const Call& call);
    void bear(const std::vector<Birth>& births);

    [[nodiscard]] const PhasePlan& plan() const { return *schedule_->plan; }
    at::Tensor& value_of(std::size_t effect) { return body_->evaluator.value(plan().effects[effect].value); }
    at::Tensor& value_of_loss(std::size_t index) { return body_->evaluator.value(body_->graph->losses[index].value); }

    ProgramSpec spec_;
    std::vector<StagePlan> stages_;
    DType real_;
    Learner& learner_;
    Placement placement_;
    Body* body_ = nullptr;  // this and the members below: of the present run
    const Schedule* schedule_ = nullptr;
    std::vector<std::vector<at::Tensor>> gradients_;  // by place in PhasePlan::sequence

private:
    [[nodiscard]] Body* known_body(const PhasePlan& plan) const;
    Result<Body*> body_for(const PhasePlan& plan);
    [[nodiscard]] std::vector<graph::NodeId> order_until(std::uint32_t last) const;

    std::vector<std::unique_ptr<Body>> bodies_;         // by graph
    std::vector<std::unique_ptr<Schedule>> schedules_;  // by plan
};

}  // namespace tenon::reference
