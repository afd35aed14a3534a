// SPDX-License-Identifier: Apache-2.0
// The gradient that a rule of ops.toml puts on the graph, against that of libtorch's autograd: every op that a gradient
// goes through, with a random weight on every element of its result. The same of second derivatives, which an author's
// gradient/1 has.
#include "compute/gradient/gradients.hpp"

#include <cmath>
#include <set>

#include "engines/compiled/graph_rewrites.hpp"
#include "examples.hpp"
#include "support/catch.hpp"

namespace adjoints_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr double kTolerance = 1e-13;

// What is differentiated: the weighted sum of an op's results, or the sum of the squares of its gradients.
enum class Of { kResult, kGradients };

struct Weighted {
    ExampleProgram program;
    std::vector<ValueId> leaves;
    std::vector<std::size_t> numbers;  // of the inputs that are leaves
    ValueId total = 0;

    Weighted(const Example& example, Of of) : program(example, DType::kF64) {
        const ValueId product = with_random_weights(program);
        total = program.sketch.add("sum_like", {product, program.sketch.constant(0)});
        for (std::size_t i = 0; i < example.inputs.size(); ++i) {
            if (example.inputs[i].kind == Kind::kReal) {
                leaves.push_back(program.inputs[i]);
                numbers.push_back(i);
            }
        }
        if (of == Of::kGradients) {
            total = squares_of_gradients();
        }
    }

private:
    ValueId squares_of_gradients() {
        graph::Extension extension(program.sketch.graph);
        auto first = graph::add_gradients(extension, total, leaves, {.again = true});
        INFO((first ? std::string{} : first.error().sentence));
        REQUIRE(first.has_value());
        ValueId sum = extension.constant(0);
        for (const ValueId gradient : *first) {
            if (gradient != 0) {
                const ValueId square = extension.emit(graph::OpId::kSquare_1, {gradient});
                const ValueId all = extension.emit(graph::OpId::kSumLike_1, {square, extension.constant(0)});
                sum = extension.emit(graph::OpId::kAdd_1, {sum, all});
            }
        }
        return sum;
    }
};

// By autograd, of each leaf; nothing if a second derivative is not finite, or if there is none.
std::vector<std::vector<double>> by_autograd(const Example& example, Of of) {
    Weighted weighted(example, of);
    Sketch& sketch = weighted.program.sketch;
    sketch.loss("total", sketch.stage("update", {"inputs"}), weighted.total);
    auto update = executor(DType::kF64)->update(weighted.program.spec(), {plan_of({1})}, weighted.program.learner);
    INFO((update ? std::string{} : update.error().sentence));
    if (!update && of == Of::kGradients) {
        CHECK_THAT(update.error().sentence, Catch::Matchers::ContainsSubstring("depend on no parameter"));
        return {};
    }
    REQUIRE(update.has_value());
    const std::vector<const void*> inputs = weighted.program.data();
    const std::vector<double> live{0.0, 0.9, 0.999, 1e-8, 0.0};
    Call call{.sizes = weighted.program.sizes, .inputs = inputs, .numbers = {.live = live}};
    const bool is_done = (*update)->run(call).has_value();
    if (!is_done && of == Of::kGradients) {
        return {};
    }
    REQUIRE(is_done);
    std::vector<std::vector<double>> out;
    const Learner& learner = weighted.program.learner;
    for (const std::size_t number : weighted.numbers) {
        out.push_back(read(learner, learner.networks[1], learner.networks[1].gradient, "x" + std::to_string(number)));
    }
    return out;
}

// On the graph, of each leaf; zeros where none was made. `plain`: after images have been rewritten to patches.
std::vector<std::vector<double>> on_the_graph(const Example& example, Of of, bool plain) {
    Weighted weighted(example, of);
    Sketch& sketch = weighted.program.sketch;
    sketch.graph = plain ? compiled::with_plain_images(sketch.graph) : sketch.graph;
    graph::Extension extension(sketch.graph);
    auto gradients = graph::add_gradients(extension, weighted.total, weighted.leaves);
    INFO((gradients ? std::string{} : gradients.error().sentence));
    REQUIRE(gradients.has_value());
    ProgramSpec spec = weighted.program.spec();
    std::vector<Memory> results;
    for (std::size_t i = 0; i < weighted.leaves.size(); ++i) {
        const std::size_t count = example.inputs[weighted.numbers[i]].reals.size();
        const Type& type = sketch.graph.type(weighted.leaves[i]);
        results.push_back(memory("gradient" + std::to_string(i), DType::kF64,
                                 {type.sizes().begin(), type.sizes().end()}, std::vector<double>(count, 0.0)));
        if ((*gradients)[i] != 0) {
            REQUIRE(sketch.graph.type((*gradients)[i]) == type);
            sketch.write(results.back().port.key, (*gradients)[i]);
            spec.outputs.push_back(results.back().port);
        }
    }
    auto program = executor(DType::kF64)->forward(spec, weighted.program.learner);
    INFO((program ? std::string{} : program.error().sentence));
    REQUIRE(program.has_value());
    const std::vector<const void*> inputs = weighted.program.data();
    Call call{.sizes = weighted.program.sizes, .inputs = inputs};
    std::vector<void*> outputs;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if ((*gradients)[i] != 0) {
            outputs.push_back(results[i].data());
        }
    }
    call.outputs = outputs;
    const Result<Computed*> done = (*program)->run(call);
    INFO((done ? std::string{} : done.error().sentence));
    REQUIRE(done.has_value());
    std::vector<std::vector<double>> out;
    for (const Memory& result : results) {
        out.push_back(result.values());
    }
    return out;
}

// An update refuses gradients that are not finite.
bool is_finite(const Example& example) {
    for (const ExampleTensor& gradient : example.gradients) {
        for (const double x : gradient.reals) {
            if (!std::isfinite(x)) {
                return false;
            }
        }
    }
    return true;
}

// Returns whether the derivative is finite.
bool check_same(const Example& example, Of of, bool plain) {
    CAPTURE(std::string(example.op), example.inputs.front().reals, plain);
    const auto want = by_autograd(example, of);
    if (want.empty()) {
        return false;
    }
    const auto have = on_the_graph(example, of, plain);
    for (std::size_t i = 0; i < want.size(); ++i) {
        REQUIRE(have[i].size() == want[i].size());
        for (std::size_t e = 0; e < want[i].size(); ++e) {
            CAPTURE(i, e, have[i][e], want[i][e]);
            CHECK(std::abs(have[i][e] - want[i][e]) <= kTolerance * std::max(1.0, std::abs(want[i][e])));
        }
    }
    return true;
}

bool is_of_images(const Example& example) {
    return example.op == "conv2d" || example.op == "conv_transpose2d" || example.op == "max_pool2d";
}

}  // namespace

TEST_CASE("what the table says of gradients is what libtorch makes of them") {
    std::set<std::string> seen;
    for (const Example& example : examples()) {
        if (example.gradients.empty() || example.op == "stop_gradient" || !is_finite(example)) {
            continue;
        }
        check_same(example, Of::kResult, false);
        if (is_of_images(example)) {
            check_same(example, Of::kResult, true);
        }
        seen.insert(std::string(example.op));
    }
    CHECK(seen.size() > 45);
}

TEST_CASE("the gradients that the table makes have gradients, which are libtorch's") {
    std::set<std::string> seen;
    for (const Example& example : examples()) {
        if (example.gradients.empty() || example.op == "stop_gradient" || !is_finite(example)) {
            continue;
        }
        if (check_same(example, Of::kGradients, false)) {
            seen.insert(std::string(example.op));
        }
        if (is_of_images(example)) {
            check_same(example, Of::kGradients, true);
        }
    }
    CHECK(seen.size() > 45);
}

}  // namespace adjoints_test
