// SPDX-License-Identifier: Apache-2.0
#include "examples.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "support/catch.hpp"

namespace tenon::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Dim dim_of(char letter, std::int64_t size) {
    switch (letter) {
        case 'B':
            return graph::kRows;
        case 'T':
            return graph::kTime;
        case 'L':
            return graph::kLanes;
        case 'M':
            return kMembers;
        default:
            return size;
    }
}

Memory column_of(const std::string& key, const ExampleTensor& tensor) {
    std::vector<std::int64_t> row_shape;
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
        if (tensor.dims[i] == '.') {
            row_shape.push_back(tensor.shape[i]);
        }
    }
    Memory out = memory(key, tensor.kind == Kind::kInt ? DType::kI64 : DType::kBool, row_shape, tensor.reals);
    out.i64 = tensor.integers;
    return out;
}

}  // namespace

const std::vector<Example>& examples() {
    static const std::vector<Example> table = [] {
        static constexpr void (*kOps[])(std::vector<Example>&) = {
#include "generated/op_examples.inc"
        };
        std::vector<Example> made;
        for (const auto add : kOps) {
            add(made);
        }
        return made;
    }();
    return table;
}

Type type_of(const ExampleTensor& tensor) {
    Type type{tensor.kind, {}};
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
        type.dims.push_back(dim_of(tensor.dims[i], tensor.shape[i]));
    }
    return type;
}

void note_sizes(const ExampleTensor& tensor, Sizes& sizes, std::int64_t& members) {
    for (std::size_t i = 0; i < tensor.dims.size(); ++i) {
        switch (tensor.dims[i]) {
            case 'B':
                sizes.rows = tensor.shape[i];
                break;
            case 'T':
                sizes.time = tensor.shape[i];
                break;
            case 'L':
                sizes.lanes = tensor.shape[i];
                break;
            case 'M':
                members = tensor.shape[i];
                break;
            default:
                break;
        }
    }
}

namespace {

// 0 where it has no ensemble.
std::int64_t members_of(const Example& example) {
    Sizes sizes;
    std::int64_t members = 0;
    for (const ExampleTensor& tensor : example.inputs) {
        note_sizes(tensor, sizes, members);
    }
    return members;
}

}  // namespace

ExampleProgram::ExampleProgram(const Example& example, DType real) : sketch(members_of(example)) {
    learner.real = real;
    sketch.column("no_rows", Type{});  // the first column says that results come without rows of their own
    columns.push_back(memory("no_rows", real, {}, {0.0}));
    std::int64_t members = 1;
    std::vector<Given> parameters;
    for (std::size_t i = 0; i < example.inputs.size(); ++i) {
        const ExampleTensor& tensor = example.inputs[i];
        const std::string name = "x" + std::to_string(i);
        note_sizes(tensor, sizes, members);
        if (tensor.kind == Kind::kReal) {
            inputs.push_back(sketch.parameter("inputs", name, type_of(tensor)));
            parameters.push_back({.name = name, .shape = tensor.shape, .values = tensor.reals, .trainable = true});
        } else {
            inputs.push_back(sketch.column(name, type_of(tensor)));
            columns.push_back(column_of(name, tensor));
        }
    }
    add_network(learner, "ensemble",
                {{.name = "unused",
                  .shape = {},
                  .values = std::vector<double>(static_cast<std::size_t>(members), 0.0),
                  .trainable = true}},
                false, members, true);
    add_network(learner, "inputs", parameters);
    out = sketch.add(example.op, inputs, example.attributes, example.revision);
}

ProgramSpec ExampleProgram::spec() const {
    ProgramSpec spec{.name = "example", .graph = &sketch.graph, .inputs = {}, .outputs = {}, .seed = 0};
    for (const Memory& column : columns) {
        spec.inputs.push_back(column.port);
    }
    return spec;
}

std::vector<const void*> ExampleProgram::data() const {
    std::vector<const void*> rows;
    for (const Memory& column : columns) {
        rows.push_back(column.data());
    }
    return rows;
}

Evaluated evaluate(const Example& example, DType real, const MakeForward& make) {
    ExampleProgram program(example, real);
    program.sketch.write("out", program.out);
    ProgramSpec spec = program.spec();
    const Type& type = program.sketch.graph.type(program.out);
    REQUIRE(type.kind == example.out.kind);
    REQUIRE(type.dims.size() == example.out.shape.size());
    const DType dtype = type.kind == Kind::kReal ? real : type.kind == Kind::kInt ? DType::kI64 : DType::kBool;
    const std::size_t count = example.out.reals.size() + example.out.integers.size();
    Memory out = memory("out", dtype, {type.sizes().begin(), type.sizes().end()}, std::vector<double>(count, 77.0));
    spec.outputs.push_back(out.port);
    const std::unique_ptr<Program> made = make(spec, program.learner);
    const std::vector<const void*> inputs = program.data();
    std::vector<void*> outputs{out.data()};
    Call call{.sizes = program.sizes, .inputs = inputs, .outputs = outputs};
    const Result<Computed*> done = made->run(call);
    return {out.values(), done ? std::string{} : done.error().sentence};
}

std::vector<double> stored_values(const Example& example) {
    std::vector<double> out = example.out.reals;
    std::ranges::transform(example.out.integers, std::back_inserter(out),
                           [](std::int64_t x) { return static_cast<double>(x); });
    return out;
}

bool is_close(double have, double want, double tolerance) {
    if (std::isnan(want) || std::isinf(want)) {
        return std::isnan(want) ? std::isnan(have) : have == want;
    }
    return std::abs(have - want) <= tolerance * std::max(1.0, std::abs(want));
}

std::vector<double> random_values(const std::string& name, std::size_t count) {
    std::vector<double> out(count);
    fill_normal(make_key(3, name), 0, out.data(), count);
    return out;
}

ValueId with_random_weights(ExampleProgram& program) {
    Sketch& sketch = program.sketch;
    const Type type = sketch.graph.type(program.out);
    std::size_t count = 1;
    std::vector<std::int64_t> shape;
    for (const Dim dim : type.dims) {
        shape.push_back(dim == graph::kRows    ? program.sizes.rows
                        : dim == graph::kTime  ? program.sizes.time
                        : dim == graph::kLanes ? program.sizes.lanes
                        : dim < 0              ? sketch.graph.symbols.size(dim)
                                               : dim);
        count *= static_cast<std::size_t>(shape.back());
    }
    add_network(program.learner, "weights",
                {{.name = "w", .shape = shape, .values = random_values("weights", count), .trainable = true}});
    return sketch.add("mul", {program.out, sketch.parameter("weights", "w", type)});
}

}  // namespace tenon::test
