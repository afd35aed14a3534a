// SPDX-License-Identifier: Apache-2.0
// Authors' kernels and their gradients, for libtorch's autograd.
#pragma once

#include <vector>

#include "engines/torch/kernel.hpp"

namespace tenon::reference {

// Computes a node of the op "fused" or "fused_gradient"; inputs are those of the graph.
class Fused {
public:
    Fused(const graph::Graph& graph, graph::NodeId node, at::ScalarType real);

    // The outputs of the node. Throws FusedFailure.
    [[nodiscard]] std::vector<at::Tensor> run(std::vector<at::Tensor> inputs) const;

    [[nodiscard]] std::vector<at::Tensor> forward(const std::vector<at::Tensor>& in) const;
    // Gradients of the wanted inputs; the others are undefined. Gradients of outputs may be undefined as well.
    [[nodiscard]] std::vector<at::Tensor> backward(const std::vector<at::Tensor>& in,
                                                   const std::vector<at::Tensor>& out,
                                                   const std::vector<at::Tensor>& out_gradient,
                                                   const std::vector<bool>& wanted) const;

private:
    [[nodiscard]] std::vector<at::Tensor> aligned(std::vector<at::Tensor> inputs) const;
    [[nodiscard]] std::vector<at::Tensor> gradient(const std::vector<at::Tensor>& inputs) const;

    graph::FusedKernel kernel_;
    Place place_;
    at::ScalarType real_;
    std::vector<graph::Dim> leading_;
    std::vector<graph::Type> in_;   // as in the graph
    std::vector<graph::Type> out_;  // of the kernel
    std::vector<std::int64_t> flowing_;
    std::vector<std::int64_t> wanted_;
    bool is_gradient_ = false;
};

}  // namespace tenon::reference
