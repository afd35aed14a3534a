// SPDX-License-Identifier: Apache-2.0
// The rows of a program's batch: the leading dimensions of its columns, their sizes, and the columns that mask or
// weight rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compute/exec/program.hpp"

namespace tenon {

// The leading dimensions of the program's columns; nothing if it reads none.
std::optional<std::vector<graph::Dim>> leading_of(const graph::Graph& graph);

// The leading dimensions of a call with these sizes.
std::vector<graph::Dim> leading_of(const Sizes& sizes);

// The size of a dimension; 1 for an ensemble that is not in the learner.
std::int64_t size_of(graph::Dim dim, const graph::Graph& graph, const Learner& learner, const Sizes& sizes);

// The default dtype of values of a kind.
DType stored_as(graph::Kind kind, DType real);

// The dimensions of an output column for a value: all leading dimensions, and the members of an ensemble. Also its
// number of elements.
std::vector<graph::Dim> written_dims(const graph::Type& type, const graph::Graph& graph, const Sizes& sizes);
std::size_t written_count(const graph::Type& type, const graph::Graph& graph, const Learner& learner,
                          const Sizes& sizes);

std::size_t row_count(const Sizes& sizes);

// The input with that key and one element per row, either a bool ("mask") or a number ("weight"); -1 if there is none.
std::ptrdiff_t find_row_port(std::span<const Port> inputs, std::string_view key, bool boolean);

}  // namespace tenon
