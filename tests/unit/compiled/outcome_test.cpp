// SPDX-License-Identifier: Apache-2.0
// What two executors must have in common: losses, metrics, controls, columns and gradients, each up to rounding.
#include "compute/exec/outcome.hpp"

#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support.hpp"
#include "support/catch.hpp"

namespace outcome_test {

using namespace tenon;
using namespace tenon::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kPadded = 16;  // a network's parameters begin at multiples of so many elements

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
    std::vector<std::byte> out(values.size() * sizeof(float));
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

// Two stages: "first" steps "body" and "head" together, "second" steps "head" alone.
struct Rig {
    Sketch sketch;
    Learner learner;
    std::vector<StagePlan> stages{plan_of({0, 1}), plan_of({1})};
    ProgramSpec spec{.name = "update",
                     .graph = &sketch.graph,
                     .inputs = {},
                     .outputs = {{.key = "td_error", .dtype = DType::kF32, .row = {}}}};
    Outcome theirs{.status = {},
                   .losses = {1000, 0.001, kNan},
                   .metrics = {3},
                   .controls = {0},
                   .outputs = {bytes_of({1, 2, 1000})},
                   .gradients = {std::vector<double>(3 * kPadded), std::vector<double>(kPadded)}};

    Rig() {
        learner.real = DType::kF32;
        add_network(learner, "body",
                    {{.name = "w", .shape = {2}, .values = {1, 2}},
                     {.name = "b", .shape = {1}, .values = {3}},
                     {.name = "mean", .shape = {1}, .values = {0}, .trainable = false}});
        add_network(learner, "head", {{.name = "w", .shape = {2}, .values = {4, 5}}});
        const std::uint32_t first = sketch.stage("first", {"body", "head"});
        const ValueId zero = sketch.constant(0);
        for (const char* const name : {"one", "two", "three"}) {
            sketch.loss(name, first, zero);
        }
        sketch.stage("second", {"head"});
        sketch.graph.metrics.push_back({"entropy", zero});
        sketch.graph.controls.push_back({"stop", zero});
        theirs.gradients[0][0] = 1;
        theirs.gradients[0][kPadded] = 2;
        theirs.gradients[0][2 * kPadded] = 2;
        theirs.gradients[1][0] = 3;
    }
    [[nodiscard]] std::string difference_after(const std::function<void(Outcome&)>& change) const {
        Outcome ours = theirs;
        change(ours);
        return difference(ours, theirs, spec, stages, learner).value_or("");
    }
};

}  // namespace

TEST_CASE("results that differ by rounding agree, in proportion to the largest of their kind") {
    const Rig rig;
    CHECK(rig.difference_after([](Outcome&) {}).empty());
    CHECK(rig.difference_after([](Outcome& of) { of.losses[1] += 0.9; }).empty());  // of 1000
    CHECK(rig.difference_after([](Outcome& of) { of.outputs[0] = bytes_of({1, 2, 1000.9F}); }).empty());
    CHECK(rig.difference_after([](Outcome& of) { of.gradients[0][0] += 0.002; }).empty());  // of the norm 3
}

TEST_CASE("the first result that differs is named with both numbers") {
    const Rig rig;
    CHECK(rig.difference_after([](Outcome& of) { of.losses[1] = 2; }) ==
          "the loss 'two' is 2 compiled, 0.001 by the reference");
    CHECK(rig.difference_after([](Outcome& of) { of.losses[1] = kNan; }) ==
          "the loss 'two' is nan compiled, 0.001 by the reference");
    CHECK_THAT(rig.difference_after([](Outcome& of) { of.losses[2] = 1; }),
               ContainsSubstring("the loss 'three' is 1 "));
    CHECK(rig.difference_after([](Outcome& of) { of.metrics[0] = 4; }) ==
          "the metric 'entropy' is 4 compiled, 3 by the reference");
    CHECK_THAT(rig.difference_after([](Outcome& of) { of.controls[0] = 1; }),
               ContainsSubstring("the control 'stop' is 1 "));
    CHECK_THAT(rig.difference_after([](Outcome& of) { of.outputs[0] = bytes_of({1, 2, 1002}); }),
               ContainsSubstring("the column 'td_error' differs by 2"));
}

TEST_CASE("each stage's gradients are compared parameter by parameter, in all of its networks") {
    const Rig rig;
    const auto changed = [&](std::size_t stage, std::size_t at) {
        return rig.difference_after([&](Outcome& of) { of.gradients[stage][at] = 7; });
    };
    CHECK(changed(0, 0) ==
          "the gradient of the stage 'first' with respect to the parameter 'w' of 'body' has the norm 7 "
          "compiled, 1 by the reference");
    CHECK_THAT(changed(0, kPadded), ContainsSubstring("the parameter 'b' of 'body' has the norm 7 "));
    CHECK_THAT(changed(0, 2 * kPadded), ContainsSubstring("of the stage 'first' with respect to the parameter 'w' of "
                                                          "'head' has the norm 7 "));
    CHECK_THAT(changed(1, 1), ContainsSubstring("of the stage 'second' with respect to the parameter 'w' of 'head'"));
    CHECK_THAT(rig.difference_after([](Outcome& of) { of.gradients[1][1] = kNan; }),
               ContainsSubstring("the stage 'second'"));
}

}  // namespace outcome_test
