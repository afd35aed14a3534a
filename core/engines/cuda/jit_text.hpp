// SPDX-License-Identifier: Apache-2.0
// Loops of elementwise operations, and copies, as the text of kernels that are compiled at run time: C++ with CUDA's
// words, in which sizes, strides and addresses are numbers. Their results have the bits of the kernels that come with
// the program, which read loops and copies from tables.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engines/cuda/tables.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

// Of the number-th kernel of a text.
std::string jit_name(std::size_t number);

// One kernel for a run that is arranged. It computes loops and copies as they are written here, and the other works
// from the run's table.
std::string text_of_run(std::span<const RunStep> arranged, std::span<const TableCopy> tables);

// A kernel for each of these loops, which all of the device computes.
std::string text_of_loops(std::span<const LoopWork> loops, std::span<const TableCopy> tables);

}  // namespace tenon::compiled::device
