// SPDX-License-Identifier: Apache-2.0
// Reduces one loss value per row to one number: the mean over rows, with the batch's mask and weights if it has them.
#pragma once

#include <cstddef>
#include <vector>

#include "torch/evaluator.hpp"

namespace tenon::reference {

class LossReduction {
public:
    // Finds the columns "mask" (bool) and "weight" (float) among the program's inputs. The first burn_in steps of
    // sequences are ignored.
    LossReduction(const Evaluator& evaluator, std::vector<graph::Dim> leading, std::int64_t burn_in);

    // Reads these columns; once per run.
    void begin(const Evaluator& evaluator, const Call& call);

    // The sum over members of the mean over rows.
    [[nodiscard]] at::Tensor reduce(const at::Tensor& loss, const graph::Type& type) const;

private:
    [[nodiscard]] at::Tensor column(const Evaluator& evaluator, std::ptrdiff_t port, graph::Kind kind,
                                    const Call& call) const;
    [[nodiscard]] at::Tensor reduce_weighted(const at::Tensor& loss, const graph::Type& type,
                                             const std::vector<std::int64_t>& rows) const;

    std::vector<graph::Dim> leading_;
    std::int64_t burn_in_;
    std::ptrdiff_t mask_port_;
    std::ptrdiff_t weight_port_;
    at::Tensor mask_;
    at::Tensor weight_;
};

}  // namespace tenon::reference
