// SPDX-License-Identifier: Apache-2.0
// A compiled program as data, for code that writes it in another language, as `tenon export` does in C: operations on
// dense memory (ir.hpp), in the order in which the host runs them. This file only describes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "base/data/dtype.hpp"
#include "base/error/result.hpp"
#include "compute/exec/phase_plan.hpp"
#include "compute/exec/program.hpp"
#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// A loop over elements. Each element is loaded into slots, the steps compute other slots from them, and some are
// stored.
struct ExportedLoop {
    struct Element {
        View view;
        std::uint32_t slot = 0;
    };
    struct Step {
        std::uint32_t op = 0;  // of the listing
        std::array<std::uint32_t, 3> in{};
        std::uint32_t out = 0;
    };

    std::int64_t count = 0;
    std::uint32_t slots = 0;
    std::vector<Element> loads;
    std::vector<Step> steps;
    std::vector<Element> stores;
};

struct ExportedProgram {
    DType real = DType::kF32;
    Listing listing;
    std::vector<std::variant<ExportedLoop, std::uint32_t>> instructions;  // a loop, or an operation of the listing
    std::vector<View> effects;                                            // results, as in PhasePlan::effects

    [[nodiscard]] std::size_t element_bytes(Kind kind) const;
};

// The problem says what cannot be compiled.
Result<ExportedProgram> export_program(const ProgramSpec& spec, const Learner& learner, const PhasePlan& plan,
                                       Sizes sizes);

// The graph with attention as products, for formats that have no form of it.
graph::Graph exported_graph(const graph::Graph& graph);

}  // namespace tenon::compiled
