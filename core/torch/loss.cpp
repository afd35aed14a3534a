// SPDX-License-Identifier: Apache-2.0
#include "torch/loss.hpp"

#include <algorithm>

#include "exec/rows.hpp"
#include "torch/align.hpp"

namespace tenon::reference {

LossReduction::LossReduction(const Evaluator& evaluator, std::vector<graph::Dim> leading, std::int64_t burn_in)
    : leading_(std::move(leading)),
      burn_in_(burn_in),
      mask_port_(find_row_port(evaluator.inputs(), "mask", true)),
      weight_port_(find_row_port(evaluator.inputs(), "weight", false)) {}

at::Tensor LossReduction::column(const Evaluator& evaluator, std::ptrdiff_t port, graph::Kind kind,
                                 const Call& call) const {
    if (port < 0 || call.inputs[static_cast<std::size_t>(port)] == nullptr) {
        return {};
    }
    return evaluator.read_port(static_cast<std::size_t>(port), graph::Type{kind, leading_}, call);
}

void LossReduction::begin(const Evaluator& evaluator, const Call& call) {
    mask_ = column(evaluator, mask_port_, graph::Kind::kBool, call);
    weight_ = column(evaluator, weight_port_, graph::Kind::kReal, call);
    if (burn_in_ > 0) {
        mask_ = mask_.defined() ? mask_.clone() : at::ones({call.sizes.time, call.sizes.lanes}, at::kBool);
        mask_.narrow(0, 0, burn_in_).fill_(false);
    }
}

at::Tensor LossReduction::reduce(const at::Tensor& loss, const graph::Type& type) const {
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < type.dims.size(); ++i) {
        if (type.dims[i] > graph::kFirstDerived) {
            rows.push_back(static_cast<std::int64_t>(i));
        }
    }
    if (rows.empty()) {
        return loss.dim() == 0 ? loss : loss.sum();
    }
    const bool per_row = std::ranges::all_of(leading_, [&](graph::Dim dim) { return type.has(dim); });
    if (per_row && (mask_.defined() || weight_.defined())) {
        return reduce_weighted(loss, type, rows);
    }
    return rows.size() == type.dims.size() ? loss.mean() : loss.mean(rows).sum();
}

at::Tensor LossReduction::reduce_weighted(const at::Tensor& loss, const graph::Type& type,
                                          const std::vector<std::int64_t>& rows) const {
    const std::vector<std::int64_t> positions = gaps(leading_, type.symbols());
    at::Tensor terms = weight_.defined() ? at::mul(loss, fill_gaps(weight_, positions)) : loss;
    if (!mask_.defined()) {
        return terms.mean(rows).sum();
    }
    const at::Tensor counted = fill_gaps(mask_, positions);
    terms = at::where(counted, terms, at::zeros({}, terms.options()));
    std::int64_t all = 1;
    for (const std::int64_t dim : rows) {
        all *= loss.size(dim);
    }
    const std::int64_t repeats = mask_.numel() == 0 ? 1 : all / mask_.numel();
    const double count = static_cast<double>(mask_.sum().item<std::int64_t>() * repeats);
    return terms.sum() / std::max(count, 1.0);
}

}  // namespace tenon::reference
