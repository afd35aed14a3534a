// SPDX-License-Identifier: Apache-2.0
// The results of a program other than losses: outputs, metrics, controls, checks, prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engines/torch/evaluator.hpp"

namespace tenon::reference {

// Whether the value fits an output with that shape.
Status fits_output(const graph::Graph& graph, const graph::Named& write, const Port& port);

// If the leading dimensions are unknown, the rows are those of the call.
void write_output(Evaluator& evaluator, graph::ValueId value, const Port& port, void* memory, const Sizes& sizes,
                  const std::optional<std::vector<graph::Dim>>& leading);

double mean_of(const at::Tensor& value);

Status check(Evaluator& evaluator, const graph::Named& check, const std::string& program);

// All elements; the dimensions are in the order of the value's type.
std::vector<double> elements_of(const at::Tensor& value);

}  // namespace tenon::reference
