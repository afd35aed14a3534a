// SPDX-License-Identifier: Apache-2.0
// What a device has kernels for, and what is refused because it has none.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/device/block.hpp"
#include "compute/exec/device_engine.hpp"
#include "engines/compiled/program.hpp"
#include "engines/cuda/devices.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace limits_on_device_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Writes a column of 2^sizes numbers with as many sizes of 2 in the other order, in which no two can be one.
struct Reversed {
    Sketch sketch;
    Learner learner;
    ProgramSpec spec;

    explicit Reversed(std::int64_t sizes) {
        learner.real = DType::kF32;
        const std::int64_t elements = std::int64_t{1} << sizes;
        const std::vector<std::int64_t> twos(static_cast<std::size_t>(sizes), 2);
        std::vector<std::int64_t> order;
        for (std::int64_t i = 1; i <= sizes; ++i) {
            order.push_back(-i);
        }
        const ValueId x = sketch.column("x", Type{Kind::kReal, {graph::kRows, elements}});
        sketch.write("y", sketch.add("permute", {sketch.add("reshape", {x}, {{"shape", twos}})}, {{"order", order}}));
        spec = {.name = "forward",
                .graph = &sketch.graph,
                .inputs = {{.key = "x", .dtype = DType::kF32, .row = {elements}}},
                .outputs = {{.key = "y", .dtype = DType::kF32, .row = Shape(twos)}},
                .residence = Residence::kDevice};
    }
};

}  // namespace

TEST_CASE("a device writes outputs of eight dimensions, and those of more are refused") {
    constexpr std::int64_t kSizes = 7;  // and the rows
    constexpr std::int64_t kRowCount = 3;
    constexpr std::int64_t kElements = std::int64_t{1} << kSizes;
    const std::shared_ptr<Device> device = open_emulated();
    const Reversed more(kSizes + 1);
    const Status refused = device->engine->check_runs(more.spec, {}, more.learner);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().sentence == "'y' has too many dimensions for a kernel");

    Reversed most(kSizes);
    const Status runs = device->engine->check_runs(most.spec, {}, most.learner);
    INFO((runs ? std::string() : runs.error().sentence));
    REQUIRE(runs);
    auto reference = executor(DType::kF32)->forward(most.spec, most.learner);
    REQUIRE(reference);
    const auto program = compiled::make_program(most.spec, {}, most.learner, std::move(*reference), {.device = device});
    REQUIRE(program);
    std::vector<float> numbers(kRowCount * kElements);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<float>(i);
    }
    const std::size_t bytes = numbers.size() * sizeof(float);
    auto x = Block::make(device, bytes);
    auto y = Block::make(device, bytes);
    REQUIRE(x);
    REQUIRE(y);
    REQUIRE(x->write(numbers.data(), bytes));
    const std::vector<const void*> inputs{x->memory()};
    const std::vector<void*> outputs{y->memory()};
    Call call;
    call.sizes.rows = kRowCount;
    call.inputs = inputs;
    call.outputs = outputs;
    REQUIRE((*program)->run(call));
    std::vector<float> left(numbers.size());
    REQUIRE(y->read(left.data(), bytes));
    for (std::int64_t i = 0; i < kRowCount * kElements; ++i) {
        std::int64_t reversed = 0;  // the bits of its place in the row
        for (std::int64_t bit = 0; bit < kSizes; ++bit) {
            reversed |= (i >> bit & 1) << (kSizes - 1 - bit);
        }
        REQUIRE(left[static_cast<std::size_t>(i)] ==
                numbers[static_cast<std::size_t>(i / kElements * kElements + reversed)]);
    }
}

TEST_CASE("a device writes outputs as they are computed, and those of another type are refused") {
    const std::shared_ptr<Device> device = open_emulated();
    for (const DType type : {DType::kF32, DType::kF64, DType::kI64}) {
        Reversed program(2);
        program.spec.outputs[0].dtype = type;
        const Status runs = device->engine->check_runs(program.spec, {}, program.learner);
        CHECK(runs.has_value() == (type == DType::kF32));
        if (!runs) {
            CHECK(runs.error().sentence == "it writes 'y' as another type than it computes");
        }
        program.spec.residence = Residence::kHost;  // then the host converts them
        CHECK(device->engine->check_runs(program.spec, {}, program.learner));
    }
}

TEST_CASE("on a device a stage steps up to eight networks, and up to eight stages one of them") {
    struct Stepped {
        Sketch sketch;
        Learner learner;
        std::vector<StagePlan> stages;
        ProgramSpec spec{.name = "update", .graph = &sketch.graph, .inputs = {}, .outputs = {}};

        Stepped(std::uint32_t networks, std::size_t stage_count) {
            learner.real = DType::kF32;
            std::vector<std::string> roles;
            std::vector<std::uint32_t> owned;
            ValueId sum = sketch.constant(0);
            for (std::uint32_t i = 0; i < networks; ++i) {
                roles.push_back("net" + std::to_string(i));
                owned.push_back(i);
                add_network(learner, roles.back(), {{.name = "w", .shape = {}, .values = {1.0}}});
                sum = sketch.add("add", {sum, sketch.add("square", {sketch.parameter(roles.back(), "w", Type{})})});
            }
            for (std::size_t i = 0; i < stage_count; ++i) {
                const std::string name = "stage" + std::to_string(i);
                sketch.loss(name, sketch.stage(name, roles), sum);
                stages.push_back(plan_of(owned));
            }
        }
        [[nodiscard]] std::string refusal() const {
            const Status runs = open_emulated()->engine->check_steps(spec, stages, learner);
            return runs ? std::string() : runs.error().sentence;
        }
    };
    CHECK(Stepped(8, 1).refusal().empty());
    CHECK(Stepped(9, 1).refusal() == "one of its stages trains more than 8 networks");
    CHECK(Stepped(1, 8).refusal().empty());
    CHECK(Stepped(1, 9).refusal() == "more than 8 stages train the network 'net0'");
    Stepped wide(1, 1);
    wide.learner.real = DType::kF64;
    CHECK_THAT(wide.refusal(), ContainsSubstring("kernels compute in float32"));
}

}  // namespace limits_on_device_test
