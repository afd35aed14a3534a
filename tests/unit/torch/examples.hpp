// SPDX-License-Identifier: Apache-2.0
// The stored values of every op, from core/compute/graph/ops.toml.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"

namespace tenon::test {

struct ExampleTensor {
    Kind kind = Kind::kReal;
    std::string_view dims;
    std::vector<std::int64_t> shape;
    std::vector<double> reals;  // false and true are 0 and 1
    std::vector<std::int64_t> integers;
};

struct Example {
    std::string_view op;
    std::uint32_t revision;
    std::vector<ExampleTensor> inputs;
    std::vector<graph::Attribute> attributes;
    ExampleTensor out;
    std::vector<ExampleTensor> gradients;  // without kind where there is none
};

const std::vector<Example>& examples();

// The type that the letters of dims name, and the sizes of its symbols.
Type type_of(const ExampleTensor& tensor);
void note_sizes(const ExampleTensor& tensor, Sizes& sizes, std::int64_t& members);

// Feeds an example's inputs as parameters (real ones) or columns, so that gradients can be taken by any of them.
struct ExampleProgram {
    Sketch sketch;
    Learner learner;
    Sizes sizes;
    std::vector<Memory> columns;
    std::vector<ValueId> inputs;
    ValueId out = 0;

    ExampleProgram(const Example& example, DType real);
    [[nodiscard]] ProgramSpec spec() const;
    [[nodiscard]] std::vector<const void*> data() const;  // of the columns, for a call
};

// The example's result as a forward program of that dtype computes it, unless it refuses; and as it is stored.
struct Evaluated {
    std::vector<double> values;
    std::string refused;
};
using MakeForward = std::function<std::unique_ptr<Program>(const ProgramSpec& spec, Learner& learner)>;
Evaluated evaluate(const Example& example, DType real, const MakeForward& make);
std::vector<double> stored_values(const Example& example);

// Within the tolerance, at a scale of 1 or of `want`; what is not finite must be the same.
bool is_close(double have, double want, double tolerance);

// Normal numbers: those of the name.
std::vector<double> random_values(const std::string& name, std::size_t count);

// The result times random weights, one for each element; a network more in the learner.
ValueId with_random_weights(ExampleProgram& program);

}  // namespace tenon::test
