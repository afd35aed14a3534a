// SPDX-License-Identifier: Apache-2.0
// The rows of a program's batch: which leading dimensions its columns have, how many rows there are and how large, and
// which columns say what a row counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "exec/program.hpp"

namespace tenon {

// The leading dimensions of the program's columns; nothing where it reads none.
std::optional<std::vector<graph::Dim>> leading_of(const graph::Graph& graph);

// Those that a call with these sizes has.
std::vector<graph::Dim> leading_of(const Sizes& sizes);

// `unknown_members`: of an ensemble that the learner does not have.
std::int64_t size_of(graph::Dim dim, const graph::Graph& graph, const Learner& learner, const Sizes& sizes,
                     std::int64_t unknown_members = 1);

// How values of a kind lie in memory where nothing else is asked for.
DType stored_as(graph::Kind kind, DType real);

// The dimensions of a column of the program that holds a value: with all of the leading ones, and with the members of
// an ensemble. How many elements it has.
std::vector<graph::Dim> written_dims(const graph::Type& type, const graph::Graph& graph, const Sizes& sizes);
std::size_t written_count(const graph::Type& type, const graph::Graph& graph, const Learner& learner,
                          const Sizes& sizes);

std::size_t row_count(const Sizes& sizes);
std::size_t row_bytes(const PortSpec& port);

// The input of that key with one element a row, boolean ("mask") or a number ("weight"); -1: there is none.
std::ptrdiff_t find_row_port(std::span<const PortSpec> inputs, std::string_view key, bool boolean);

}  // namespace tenon
