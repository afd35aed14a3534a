// SPDX-License-Identifier: Apache-2.0
// What is read of a tape once it has run: means, checks, rows of columns, gradients and states.
#pragma once

#include <cstddef>
#include <vector>

#include "compiled/specialised.hpp"

namespace tenon::compiled {

double mean_of(const Tape& tape, const Seen& value);

// In the order of its shape.
std::vector<double> elements_of(const Tape& tape, const Seen& value);

// Whether all elements are true, and not NaN or infinite.
bool is_true(const Tape& tape, const Seen& value);
bool is_finite(const Tape& tape, const Seen& value);

// The value's rows in the dtype of a column.
void write_rows(const Tape& tape, const Seen& value, DType dtype, void* memory);

// The gradients of a stage into the slabs of their networks, on top of what is there or in its place. `more` is memory
// for what has no place of its own for a moment.
void store_gradients(const Specialised& at, std::size_t place, bool add, Learner& learner,
                     std::vector<std::byte>& more);

// All of them are read before one is written.
void commit_states(const Specialised& at, Learner& learner, std::vector<std::byte>& more);

}  // namespace tenon::compiled
