// SPDX-License-Identifier: Apache-2.0
// Reads the results of a tape after a run: means, checks, rows of columns, gradients and states.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compute/exec/not_finite.hpp"
#include "engines/compiled/specialised.hpp"

namespace tenon::compiled {

double mean_of(const Tape& tape, const Seen& value);

// The elements in the order of the shape.
std::vector<double> elements_of(const Tape& tape, const Seen& value);

ValueRange range_of(const Tape& tape, const Seen& value);

// Whether all elements are true (and not NaN or infinite).
bool is_true(const Tape& tape, const Seen& value);
bool is_finite(const Tape& tape, const Seen& value);

// Writes the value's rows in the dtype of a column.
void write_rows(const Tape& tape, const Seen& value, DType dtype, void* memory);

// The first of a stage's parameters whose gradient is not finite.
std::optional<std::size_t> first_bad_gradient(const Specialised& at, std::size_t place);

// Writes the gradients of a stage to the slabs of its networks, or adds them. `more` is temporary memory.
void store_gradients(const Specialised& at, std::size_t place, bool add, Learner& learner,
                     std::vector<std::byte>& more);

// Reads all states before it writes one.
void commit_states(const Specialised& at, Learner& learner, std::vector<std::byte>& more);

}  // namespace tenon::compiled
