// SPDX-License-Identifier: Apache-2.0
// A node prepared for running, with all look-ups done.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compute/exec/program.hpp"
#include "engines/torch/fused.hpp"
#include "engines/torch/kernel.hpp"
#include "tenon/abi/random.h"

namespace tenon::reference {

enum class Source : std::uint8_t {
    kKernel,
    kColumn,
    kLeaf,      // a parameter or state: set by the program before the steps run
    kConstant,  // computed when the step was made
    kLive,
    kFrames,
    kUpdates,
    kProgress,
    kUniform,
    kNormal,
    kArgument,  // of a scan, which sets it
    kScan,
    kSteps,  // of a value inside a scan, which sets it
    kFused,  // an author's kernel
};

struct Operand {
    graph::ValueId value = 0;
    at::ScalarType want = at::kFloat;
    bool convert = false;
    std::vector<std::int64_t> gaps;
};

struct Step {
    graph::NodeId node = 0;
    Source source = Source::kKernel;
    Kernel kernel = nullptr;
    Frame frame;
    std::vector<Operand> operands;
    graph::ValueId out = 0;
    std::size_t index = 0;       // of the port, live value or region
    tn_key key{};                // of random nodes
    std::ptrdiff_t fed_by = -1;  // the port that a random node reads instead of drawing
    bool folds = false;          // depends only on constants
    std::shared_ptr<const Fused> fused = {};
};

// The objects to which a node's step may refer.
struct Surroundings {
    const graph::Graph& graph;
    DType real = DType::kF32;
    std::uint64_t seed = 0;
    std::span<const Port> inputs;
};

// The problem is a column without an input, or with another shape.
Result<Step> make_step(const Surroundings& around, graph::NodeId node);

at::ScalarType scalar_type(DType dtype);
at::ScalarType scalar_type(graph::Kind kind, at::ScalarType real);

}  // namespace tenon::reference
