// SPDX-License-Identifier: Apache-2.0
// Updates between slabs on a device, the emulated one: what a call gives comes in one block from the second call on,
// for minibatches of several sizes by turns, and an index that is out of range is told after the phase.
#include <cmath>

#include "compute/parameters/device_copies.hpp"
#include "engines/cuda/devices.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace choosing_on_device_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr double kClose = 1e-6;

// Values of the actions that were taken go to a noisy target.
struct Choosing {
    Sketch sketch;
    Learner learner;
    Memory x = memory("x", DType::kF32, {2}, {1, 2, -1, 0.5, 3, -2, 0.25, 1});
    Memory action = memory("action", DType::kI64, {}, {0, 2, 1, 2});
    std::vector<double> live{0.05, 0.9, 0.999, 1e-8, 0.0, 0.5};  // ... and the size of the noise
    std::vector<double> losses{0};
    std::vector<double> metrics{0};
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Program> program;

    explicit Choosing(const std::shared_ptr<Device>& device)
        : executor(tenon_torch_executor(DType::kF32, nullptr, device)) {
        add_network(learner, "values",
                    {{.name = "w", .shape = {3, 2}, .values = {0.3, -0.2, 0.1, 0.4, -0.5, 0.2}, .trainable = true}});
        const Type row{Kind::kReal, {graph::kRows}};
        const ValueId values = sketch.add("linear", {sketch.column("x", Type{Kind::kReal, {graph::kRows, 2}}),
                                                     sketch.parameter("values", "w", Type{Kind::kReal, {3, 2}})});
        const ValueId chosen = sketch.add("gather", {values, sketch.column("action", Type{Kind::kInt, row.dims})});
        sketch.at_line(7);
        const ValueId noise = sketch.special("random_normal", {{"stream", std::string("noise")}}, row);
        const ValueId size = sketch.special("option", {{"index", std::int64_t{5}}}, Type{});
        const ValueId error = sketch.add("sub", {chosen, sketch.add("mul", {noise, size})});
        sketch.loss("error", sketch.stage("update", {"values"}), sketch.add("square", {error}));
        sketch.graph.metrics.push_back({"chosen", chosen});
        const ProgramSpec spec{
            .name = "update", .graph = &sketch.graph, .inputs = {x.port, action.port}, .outputs = {}, .seed = 3};
        auto made = executor->update(spec, {plan_of({0})}, learner);
        INFO((made ? std::string{} : made.error().sentence));
        REQUIRE(made.has_value());
        program = std::move(*made);
    }

    Status update(std::int64_t rows, int number) {
        const std::vector<const void*> inputs{x.data(), action.data()};
        live[5] = number;
        Call call{.sizes = {.rows = rows},
                  .inputs = inputs,
                  .numbers = {.live = live},
                  .random = {.counter = static_cast<std::uint64_t>(number)},
                  .results = {.losses = losses, .metrics = metrics}};
        TENON_TRY(program->run(call));
        return {};
    }

    std::vector<double> weights() {
        REQUIRE(fetch_to_host(learner, kAllSlabs).has_value());
        return read(learner, learner.networks[0], learner.networks[0].live, "w");
    }
};

}  // namespace

TEST_CASE("an update by libtorch on a device is that of the CPU") {
    Choosing here(nullptr);
    Choosing on_device(open_emulated());
    const std::vector<double> before = on_device.weights();
    for (int number = 0; number < 9; ++number) {
        const std::int64_t rows = number % 3 == 1 ? 2 : 4;
        REQUIRE(here.update(rows, number).has_value());
        REQUIRE(on_device.update(rows, number).has_value());
        CHECK(on_device.losses[0] == here.losses[0]);
        CHECK(on_device.metrics[0] == here.metrics[0]);
    }
    // only the device has stepped, until somebody asks
    CHECK(read(on_device.learner, on_device.learner.networks[0], on_device.learner.networks[0].live, "w") == before);
    const std::vector<double> expected = here.weights();
    const std::vector<double> got = on_device.weights();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(std::abs(got[i] - expected[i]) < kClose);
    }
}

TEST_CASE("an index outside is told on a device as well, and the next call is right") {
    Choosing on_device(open_emulated());
    for (const int number : {0, 1, 2}) {  // in the first call columns come one by one
        const std::vector<double> before = on_device.weights();
        on_device.action.i64[2] = number == 1 ? -1 : 3;
        const Status wrong = on_device.update(4, number);
        REQUIRE(!wrong.has_value());
        CHECK(
            wrong.error().sentence.find("gather/1 of test/component cannot be computed in the program 'update': index "
                                        "out of range") != std::string::npos);
        CHECK(on_device.weights() == before);
        on_device.action.i64[2] = 1;
        REQUIRE(on_device.update(4, number).has_value());
        CHECK(on_device.weights() != before);
    }
}

}  // namespace choosing_on_device_test
