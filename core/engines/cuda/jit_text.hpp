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

// The name of the kernel with this number in a text.
std::string jit_name(std::size_t number);

// One kernel for an arranged run. Loops and copies are written out in its text; the other works are read from the run's
// table.
std::string text_of_run(std::span<const RunStep> arranged, std::span<const TableCopy> tables);

// One kernel for each of these loops, which the whole device computes.
std::string text_of_loops(std::span<const LoopWork> loops, std::span<const TableCopy> tables);

}  // namespace tenon::compiled::device
