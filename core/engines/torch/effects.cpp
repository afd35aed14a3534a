// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/effects.hpp"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/logical_not.h>

#include <algorithm>

#include "base/error/listed.hpp"
#include "compute/exec/over_shards.hpp"
#include "compute/exec/rows.hpp"
#include "compute/graph/text.hpp"
#include "engines/torch/align.hpp"

namespace tenon::reference {

Status fits_output(const graph::Graph& graph, const graph::Named& write, const Port& port) {
    const graph::Type& type = graph.type(write.value);
    if (std::ranges::equal(type.sizes(), port.row.extents())) {
        return {};
    }
    graph::Type wanted{type.kind, {type.symbols().begin(), type.symbols().end()}};
    wanted.dims.insert(wanted.dims.end(), port.row.extents().begin(), port.row.extents().end());
    return graph::problem_at(
        graph, graph.values[write.value].node,
        "'" + write.name + "' is " + graph.symbols.text(type) + ", but the column needs " + graph.symbols.text(wanted));
}

void write_output(Evaluator& evaluator, graph::ValueId value, const Port& port, void* memory, const Sizes& sizes,
                  const std::optional<std::vector<graph::Dim>>& leading) {
    const graph::Type& type = evaluator.graph().type(value);
    const std::vector<graph::Dim> rows = is_over_shards(port.key) ? std::vector<graph::Dim>()
                                         : leading                ? *leading
                                                                  : leading_of(sizes);
    graph::Type full{type.kind, graph::join_symbols(rows, type.symbols())};
    const at::Tensor source = fill_gaps(evaluator.value(value).detach(), gaps(type.dims, full.dims));
    full.dims.insert(full.dims.end(), port.row.extents().begin(), port.row.extents().end());
    at::from_blob(memory, evaluator.shape(full, sizes), at::TensorOptions(scalar_type(port.dtype))).copy_(source);
}

double mean_of(const at::Tensor& value) {
    const at::Tensor plain = value.detach();
    return plain.dim() == 0 ? plain.item<double>() : plain.to(at::kDouble).mean().item<double>();
}

Status check(Evaluator& evaluator, const graph::Named& check, const std::string& program) {
    const at::Tensor value = evaluator.value(check.value).detach();
    if (value.all().item<bool>()) {
        return {};
    }
    const std::int64_t wrong = at::logical_not(value).sum().item<std::int64_t>();
    const graph::NodeId node = evaluator.graph().values[check.value].node;
    const std::string& component = evaluator.graph().sources[evaluator.graph().nodes[node].source].component;
    return graph::problem_at(evaluator.graph(), node,
                             (component.empty() ? "" : component + ": ") + "check failed in the program '" + program +
                                 "': " + check.name + " (" + std::to_string(wrong) + " of " +
                                 counted(value.numel(), "element") + (wrong == 1 ? " is" : " are") + " false)");
}

std::vector<double> elements_of(const at::Tensor& value) {
    const at::Tensor plain = value.detach().to(at::kCPU, at::kDouble).contiguous();
    const auto* const first = plain.const_data_ptr<double>();
    return {first, first + plain.numel()};
}

}  // namespace tenon::reference
