// SPDX-License-Identifier: Apache-2.0
// Where parameters lie, and what declare refuses.
#include "compute/parameters/network.hpp"

#include <cstdint>
#include <limits>

#include "small_network.hpp"
#include "support/catch.hpp"

namespace network_test {

using namespace tenon;

namespace {

using Catch::Matchers::ContainsSubstring;
using test::empty_layout;
using test::parameter;

TEST_CASE("every parameter begins at a multiple of 64 bytes in either dtype, trainable ones first") {
    NetworkLayout layout = empty_layout("actor", 3);
    REQUIRE(declare(layout, parameter("mean", {5}, "zeros", 0, false)));
    REQUIRE(declare(layout, parameter("0.weight", {3, 7})));
    REQUIRE(declare(layout, parameter("scalar", {})));
    REQUIRE(declare(layout, parameter("count", {}, "constant", 1, false)));
    REQUIRE(declare(layout, parameter("exact", {16})));
    place(layout);

    std::size_t end = 0;
    bool state = false;
    for (const Parameter& each : layout.parameters) {
        CAPTURE(each.name);
        CHECK(each.offset * sizeof(float) % 64 == 0);
        CHECK(each.offset >= end);
        CHECK(each.offset < end + 16);
        CHECK((each.offset < layout.trainable_size) == each.trainable);
        CHECK_FALSE((state && each.trainable));
        state = state || !each.trainable;
        end = each.offset + each.size;
    }
    CHECK(layout.find("0.weight")->size == 63);
    CHECK(layout.find("scalar")->size == 3);
    CHECK(layout.trainable_size == 64 + 16 + 48);
    CHECK(layout.size == layout.trainable_size + 16 + 16);
    CHECK(layout.find("nothing") == nullptr);
}

TEST_CASE("the same declaration twice is one parameter") {
    NetworkLayout layout = empty_layout("critic");
    REQUIRE(declare(layout, parameter("0.weight", {4, 2}, "uniform", 0.5)));
    REQUIRE(declare(layout, parameter("0.weight", {4, 2}, "uniform", 0.5)));
    CHECK(layout.parameters.size() == 1);
}

TEST_CASE("a different declaration of the same parameter is refused with both") {
    NetworkLayout layout = empty_layout("critic");
    REQUIRE(declare(layout, parameter("0.weight", {4, 2}, "uniform", 0.5)));
    const Parameter other =
        GENERATE(parameter("0.weight", {2, 4}, "uniform", 0.5), parameter("0.weight", {4, 2}, "normal", 0.5),
                 parameter("0.weight", {4, 2}, "uniform", 0.25), parameter("0.weight", {4, 2}, "uniform", 0.5, false));
    const Status status = declare(layout, other);
    REQUIRE_FALSE(status);
    CHECK(status.error().fault == Fault::kPlugin);
    CHECK_THAT(status.error().sentence, ContainsSubstring("'0.weight' of network 'critic'"));
    CHECK_THAT(status.error().sentence, ContainsSubstring("[4,2], initialised by uniform(0.5), trainable and ["));
    CHECK(layout.parameters.size() == 1);
}

TEST_CASE("what cannot be initialised is refused") {
    NetworkLayout layout = empty_layout("q");
    const auto sentence = [&layout](const Parameter& wrong) {
        const Status status = declare(layout, wrong);
        REQUIRE_FALSE(status);
        CHECK_THAT(status.error().sentence, ContainsSubstring("parameter 'w' of network 'q'"));
        return status.error().sentence;
    };
    CHECK_THAT(sentence(parameter("w", {2}, "unifrom", 1)), ContainsSubstring("did you mean 'uniform'?"));
    CHECK_THAT(sentence(parameter("w", {2}, "orthogonal", 1)), ContainsSubstring("at least two dimensions"));
    CHECK_THAT(sentence(parameter("w", {2}, "normal", -1)), ContainsSubstring("not negative"));
    CHECK_THAT(sentence(parameter("w", {2}, "constant", std::numeric_limits<double>::infinity())),
               ContainsSubstring("must be finite"));
    CHECK_THAT(sentence(parameter("w", {2, 0})), ContainsSubstring("at least 1"));
    CHECK_THAT(sentence(parameter("w", {std::int64_t{1} << 40, std::int64_t{1} << 40})),
               ContainsSubstring("at most 2^48"));
    CHECK(layout.parameters.empty());
}

TEST_CASE("more than there is memory for is a problem, not a crash") {
    Network network;
    network.layout = empty_layout("vast");
    REQUIRE(declare(network.layout, parameter("w", {std::int64_t{1} << 48})));
    place(network.layout);
    const Status status = initialise(network, DType::kF64, 1, true);
    REQUIRE_FALSE(status);
    CHECK(status.error().fault == Fault::kEnvironment);
    CHECK_THAT(status.error().sentence, ContainsSubstring("network 'vast'"));
}

TEST_CASE("a learner finds its networks by role") {
    Learner learner;
    learner.networks.resize(2);
    learner.networks[1].layout.role = "critic";
    CHECK(learner.find("critic") == &learner.networks[1]);
    CHECK(learner.find("actor") == nullptr);
}

}  // namespace
}  // namespace network_test
