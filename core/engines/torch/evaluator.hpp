// SPDX-License-Identifier: Apache-2.0
// Computes the values of a graph's nodes, one step after the other. Programs decide which steps run and with which
// parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "compute/exec/program.hpp"
#include "engines/torch/given.hpp"
#include "engines/torch/step.hpp"

namespace tenon::reference {

class Evaluator {
public:
    Evaluator(const graph::Graph& graph, DType real, std::uint64_t seed, std::vector<Port> inputs,
              const Learner& learner, at::Device place = at::kCPU);

    // Prepares the steps of those nodes, in order; `needed` by node. Constants are computed here. Nodes without results
    // have no step.
    Status add_all(const std::vector<bool>& needed);

    // Computes one node from the present values. Throws what libtorch throws.
    void compute(graph::NodeId node, const Call& call);

    at::Tensor& value(graph::ValueId id) { return values_[id]; }
    [[nodiscard]] bool persists(graph::ValueId id) const { return persists_[id]; }
    [[nodiscard]] const Step& step(graph::NodeId node) const { return steps_[node]; }
    [[nodiscard]] graph::NodeId current() const { return current_; }
    [[nodiscard]] const graph::Graph& graph() const { return graph_; }
    [[nodiscard]] at::ScalarType real() const { return real_; }
    [[nodiscard]] const std::vector<Port>& inputs() const { return inputs_; }

    [[nodiscard]] std::vector<std::int64_t> shape(const graph::Type& type, const Sizes& sizes) const;
    [[nodiscard]] std::int64_t size_of_dim(graph::Dim dim, const Sizes& sizes) const;

    // The caller's memory as a tensor, in the run's types.
    [[nodiscard]] at::Tensor read_port(std::size_t port, const graph::Type& type, const Call& call) const;

    // Takes the data of calls from `given`; null: from the call.
    void take_from(Given* given) { given_ = given; }

private:
    Status add(graph::NodeId node);
    at::Tensor run_kernel(const Step& step);
    // Random numbers of a node that a scan draws for all of its steps.
    struct Drawn {
        graph::NodeId node = 0;
        at::Tensor numbers;
        std::int64_t along = 0;  // position of the steps
    };

    [[nodiscard]] at::Tensor draw(const Step& step, const graph::Type& type, const Call& call) const;
    std::vector<Drawn> draw_steps(std::size_t number, const Call& call);
    void scan(const Step& step, const Call& call);
    void fused(const Step& step);
    void set_arguments(const graph::Region& region, std::int64_t time);
    [[nodiscard]] at::Tensor scalar(double value) const;
    // Reads a number of the call.
    using NumberOf = double (*)(const Call& call, std::size_t index);
    [[nodiscard]] at::Tensor number(NumberOf of, std::size_t index, const Call& call) const;

    const graph::Graph& graph_;
    DType dtype_;
    at::ScalarType real_;
    std::uint64_t seed_;
    std::vector<Port> inputs_;
    const Learner& learner_;
    at::Device place_;  // of tensors
    Given* given_ = nullptr;
    std::vector<Step> steps_;  // by node
    std::vector<at::Tensor> values_;
    std::vector<bool> persists_;
    std::vector<std::vector<graph::NodeId>> bodies_;   // by region: its nodes
    std::vector<std::vector<graph::NodeId>> watched_;  // by region: nodes that read a value of its steps
    std::int64_t time_ = 0;                            // of the running scan over time
    std::int64_t made_step_ = 0;                       // of the running scan over a made dimension
    graph::NodeId current_ = 0;
};

}  // namespace tenon::reference
