// SPDX-License-Identifier: Apache-2.0
// Programs whose columns are on a device, compared with the reference executor's.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/device/block.hpp"
#include "engines/compiled/program.hpp"
#include "engines/compiled/watched.hpp"
#include "engines/cuda/devices.hpp"
#include "support.hpp"
#include "support/catch.hpp"
#include "unit/compiled/other_op.hpp"

namespace columns_on_device_test {

using namespace tenon;
using namespace tenon::test;

TEST_CASE("columns on a device are compared on the host, and get the reference's values if it takes over") {
    const bool agrees = GENERATE(true, false);
    constexpr std::size_t kBytes = 3 * sizeof(float);
    const std::shared_ptr<Device> device = open_emulated();
    Sketch sketch;
    Learner learner;
    learner.real = DType::kF32;
    sketch.write("y", sketch.add("tanh", {sketch.column("x", Type{Kind::kReal, {graph::kRows}})}));
    const ProgramSpec on_host{.name = "forward",
                              .graph = &sketch.graph,
                              .inputs = {{.key = "x", .dtype = DType::kF32, .row = {}}},
                              .outputs = {{.key = "y", .dtype = DType::kF32, .row = {}}}};
    Wrong other(agrees ? "tanh" : "sigmoid");
    ProgramSpec on_device = other.altered(on_host);
    on_device.residence = Residence::kDevice;
    auto plain = executor(DType::kF32)->forward(on_host, learner);
    REQUIRE(plain.has_value());
    auto reference = std::make_shared<Counted>(std::move(*plain));
    auto ours = compiled::make_program(on_device, {}, learner, reference, {.device = device});
    REQUIRE(ours.has_value());
    const auto trust = std::make_shared<compiled::Trust>();
    const auto program = compiled::watch(std::move(*ours), reference,
                                         {.spec = on_host,
                                          .stages = {},
                                          .learner = learner,
                                          .trust = trust,
                                          .device = device,
                                          .disagreed = [](const compiled::Watch&, const Call&, const std::string&) {}});
    auto x = Block::make(device, kBytes);
    auto y = Block::make(device, kBytes);
    REQUIRE(x.has_value());
    REQUIRE(y.has_value());
    const std::vector<const void*> inputs{x->memory()};
    const std::vector<void*> outputs{y->memory()};
    for (int run = 0; run < 5; ++run) {
        const std::vector<float> given{0.5F, -1.0F, static_cast<float>(run)};
        REQUIRE(x->write(given.data(), kBytes).has_value());
        Call call{.sizes = {.rows = 3}, .inputs = inputs, .outputs = outputs};
        REQUIRE(program->run(call).has_value());
        std::vector<float> left(3);
        REQUIRE(y->read(left.data(), kBytes).has_value());
        for (std::size_t i = 0; i < left.size(); ++i) {
            CHECK_THAT(left[i], Catch::Matchers::WithinAbs(std::tanh(given[i]), 1e-6));
        }
    }
    CHECK(trust->lost == !agrees);
    CHECK(reference->runs == (agrees ? compiled::kWatched : 6));
}

}  // namespace columns_on_device_test
