// SPDX-License-Identifier: Apache-2.0
// One stage: a regression written as a graph against the same computation by hand, step after step.
#include <cmath>
#include <cstring>

#include "support.hpp"
#include "support/catch.hpp"

namespace update_test {

using namespace tenon;
using namespace tenon::test;

namespace {

const std::vector<double> kLive{0.05, 0.9, 0.999, 1e-8, 0.0};
const std::vector<double> kX{1, 2, -1, 0.5, 3, -2};  // [3, 2]
const std::vector<double> kY{1, -1, 2};

struct Regression {
    Sketch sketch;
    Learner learner;
    Memory x;
    Memory y;

    explicit Regression(DType real, std::int64_t members = 1)
        : x(memory("x", real, {2}, kX)), y(memory("y", real, {}, kY)) {
        learner.real = real;
        const bool ensemble = members > 1;
        std::vector<double> weights;
        for (std::int64_t m = 0; m < members; ++m) {
            weights.insert(weights.end(), {0.3 + static_cast<double>(m), -0.2});
        }
        add_network(learner, "ensemble", {{.name = "w", .shape = {1, 2}, .values = weights, .trainable = true}}, true,
                    members, ensemble);
        Type type{Kind::kReal, {1, 2}};
        if (ensemble) {
            type.dims.insert(type.dims.begin(), kMembers);
        }
        const ValueId in_x = sketch.column("x", Type{Kind::kReal, {graph::kRows, 2}});
        const ValueId in_y = sketch.column("y", Type{Kind::kReal, {graph::kRows}});
        const ValueId out =
            sketch.add("squeeze", {sketch.add("linear", {in_x, sketch.parameter("ensemble", "w", type)})});
        sketch.loss("error", sketch.stage("update", {"ensemble"}),
                    sketch.add("square", {sketch.add("sub", {out, in_y})}));
    }

    std::unique_ptr<Program> program(const StagePlan& plan, std::vector<Port> more = {}) {
        ProgramSpec spec{
            .name = "update", .graph = &sketch.graph, .inputs = {x.port, y.port}, .outputs = {}, .seed = 0};
        spec.inputs.insert(spec.inputs.end(), more.begin(), more.end());
        auto made = executor(learner.real)->update(spec, {plan}, learner);
        REQUIRE(made.has_value());
        return std::move(*made);
    }

    Call call(std::vector<const void*>& inputs, std::vector<double>& losses, std::vector<double>& norms) {
        inputs.insert(inputs.begin(), {x.data(), y.data()});
        losses.resize(1);
        norms.resize(1);
        Call out{.sizes = {.rows = 3},
                 .inputs = inputs,
                 .numbers = {.live = kLive},
                 .results = {.losses = losses, .gradient_norms = norms}};
        return out;
    }
};

// The gradient of sum(c * (x w - y)^2) / divisor by w.
std::vector<double> gradient_of(const std::vector<double>& w, const std::vector<double>& c, double divisor,
                                double* loss) {
    std::vector<double> out(2);
    *loss = 0;
    for (std::size_t row = 0; row < 3; ++row) {
        const double error = w[0] * kX[2 * row] + w[1] * kX[2 * row + 1] - kY[row];
        *loss += c[row] * error * error / divisor;
        out[0] += 2 * c[row] * error * kX[2 * row] / divisor;
        out[1] += 2 * c[row] * error * kX[2 * row + 1] / divisor;
    }
    return out;
}

}  // namespace

TEST_CASE("updates equal Adam by hand, with clipping and a soft target") {
    Regression regression(DType::kF64);
    StagePlan plan = plan_of({0}, 1, 0.5);
    plan.targets[0] = {.soft = true, .tau = 0, .every = 1};
    const auto program = regression.program(plan);
    std::vector<const void*> inputs;
    std::vector<double> losses;
    std::vector<double> norms;
    const Call call = regression.call(inputs, losses, norms);
    std::vector<double> w{0.3, -0.2};
    std::vector<double> target = w;
    std::vector<double> m(2);
    std::vector<double> v(2);
    Network& network = regression.learner.networks[0];
    for (int step = 1; step <= 5; ++step) {
        double loss = 0;
        std::vector<double> g = gradient_of(w, {1, 1, 1}, 3, &loss);
        const double norm = std::hypot(g[0], g[1]);
        for (std::size_t i = 0; i < 2; ++i) {
            g[i] *= std::min(1.0, 0.5 / (norm + 1e-6));
            m[i] = 0.9 * m[i] + 0.1 * g[i];
            v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
            w[i] -= 0.05 * (m[i] / (1 - std::pow(0.9, step))) / (std::sqrt(v[i] / (1 - std::pow(0.999, step))) + 1e-8);
            target[i] += 0.05 * (w[i] - target[i]);
        }
        REQUIRE(program->run(call).has_value());
        CHECK(losses[0] == Catch::Approx(loss).epsilon(1e-12));
        CHECK(norms[0] == Catch::Approx(norm).epsilon(1e-12));
        const auto have = read(regression.learner, network, network.live, "w");
        const auto moved = read(regression.learner, network, network.target, "w");
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK(have[i] == Catch::Approx(w[i]).epsilon(1e-12));
            CHECK(moved[i] == Catch::Approx(target[i]).epsilon(1e-12));
        }
    }
    CHECK(network.steps == 5);
}

TEST_CASE("masks and weights enter the reduction") {
    const std::vector<double> weights{0.5, 2, 4};
    const std::vector<double> mask{1, 0, 1};
    for (const bool masked : {false, true}) {
        for (const bool weighted : {false, true}) {
            Regression regression(DType::kF64);
            Memory mask_memory = memory("mask", DType::kBool, {}, mask);
            Memory weight_memory = memory("weight", DType::kF32, {}, weights);
            std::vector<Port> ports;
            std::vector<const void*> inputs;
            std::vector<double> c(3, 1.0);
            double divisor = 3;
            if (masked) {
                ports.push_back(mask_memory.port);
                inputs.push_back(mask_memory.data());
                divisor = 2;
                regression.y.f64[1] = 1e6;  // what is masked out does not matter
            }
            if (weighted) {
                ports.push_back(weight_memory.port);
                inputs.push_back(weight_memory.data());
            }
            for (std::size_t i = 0; i < 3; ++i) {
                c[i] = (masked ? mask[i] : 1.0) * (weighted ? weights[i] : 1.0);
            }
            const auto program = regression.program(plan_of({0}), ports);
            std::vector<double> losses;
            std::vector<double> norms;
            const Call call = regression.call(inputs, losses, norms);
            double loss = 0;
            const auto g = gradient_of({0.3, -0.2}, c, divisor, &loss);
            REQUIRE(program->run(call).has_value());
            CHECK(losses[0] == Catch::Approx(loss).epsilon(1e-12));
            CHECK(norms[0] == Catch::Approx(std::hypot(g[0], g[1])).epsilon(1e-12));
        }
    }
}

TEST_CASE("the loss of an ensemble is the sum of its members' means") {
    Regression regression(DType::kF64, 2);
    const auto program = regression.program(plan_of({0}));
    std::vector<const void*> inputs;
    std::vector<double> losses;
    std::vector<double> norms;
    const Call call = regression.call(inputs, losses, norms);
    double first = 0;
    double second = 0;
    const auto g0 = gradient_of({0.3, -0.2}, {1, 1, 1}, 3, &first);
    const auto g1 = gradient_of({1.3, -0.2}, {1, 1, 1}, 3, &second);
    REQUIRE(program->run(call).has_value());
    CHECK(losses[0] == Catch::Approx(first + second).epsilon(1e-12));
    const Network& network = regression.learner.networks[0];
    const auto have = read(regression.learner, network, network.gradient, "w");
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(have[i] == Catch::Approx(g0[i]).epsilon(1e-12));
        CHECK(have[2 + i] == Catch::Approx(g1[i]).epsilon(1e-12));
    }
}

TEST_CASE("two runs of the same updates give the same bytes") {
    const auto train = [] {
        Regression regression(DType::kF32);
        const auto program = regression.program(plan_of({0}, 1, 10));
        std::vector<const void*> inputs;
        std::vector<double> losses;
        std::vector<double> norms;
        const Call call = regression.call(inputs, losses, norms);
        for (int i = 0; i < 50; ++i) {
            REQUIRE(program->run(call).has_value());
        }
        return std::move(regression.learner.networks[0]);
    };
    const Network a = train();
    const Network b = train();
    REQUIRE(a.optimiser_state.size() == 2);
    for (const auto& [x, y] :
         {std::pair{&a.live, &b.live}, std::pair{&a.optimiser_state[0].slab, &b.optimiser_state[0].slab},
          std::pair{&a.optimiser_state[1].slab, &b.optimiser_state[1].slab}}) {
        REQUIRE(x->size() == y->size());
        CHECK(std::memcmp(x->data(), y->data(), x->size()) == 0);
    }
}

}  // namespace update_test
