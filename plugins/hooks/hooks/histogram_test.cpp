// SPDX-License-Identifier: Apache-2.0
#include "histogram.hpp"

#include <limits>

#include "network_histogram.hpp"
#include "support/catch.hpp"
#include "support/hook_rig.hpp"

namespace histogram_test {

using tenon::test::HookRig;

namespace {

constexpr auto kHistogram = tenon::hook<Histogram>("histogram", "of a column");
constexpr auto kOfNetwork = tenon::hook<NetworkHistogram>("network_histogram", "of a network");
const std::vector<std::uint8_t> kNoEnds(8, 0);

}  // namespace

TEST_CASE("counts are those of numpy.histogram, and what is outside is counted apart") {
    HookRig rig(kHistogram, [](auto& options) {
        options["bins"].integer = 4;
        options["low"].real = 0;
        options["high"].real = 2;
    });
    CHECK(HookRig::names(rig.info.metrics, rig.info.metric_count) ==
          std::vector<std::string>{"below/0", "bin/0", "bin/1", "bin/2", "bin/3", "above/2"});
    const float inf = std::numeric_limits<float>::infinity();
    rig.collect({-0.5F, 0, 0.49F, 0.5F, 2, 2.5F, inf, std::numeric_limits<float>::quiet_NaN()}, kNoEnds, 2, 0, 4, 4);
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
    // numpy.histogram([0, 0.49, 0.5, 2], bins=4, range=(0, 2))[0] is [2, 1, 0, 1]
    CHECK(rig.reported == std::vector<double>{1, 2, 1, 0, 1, 2});
}

TEST_CASE("metrics say the bounds, without a sign that names of metrics may not have") {
    CHECK(Bins::metrics(1, -0.25, 1e30) == std::vector<std::string>{"below/-0.25", "bin/0", "above/1e30"});
    CHECK(Bins::metrics(1, 1e-7, 100) == std::vector<std::string>{"below/1e-07", "bin/0", "above/100"});
}

TEST_CASE("gradients or parameters of a network are counted every so many updates") {
    const auto with = [](const char* of) {
        return [of](auto& options) {
            options["network"].text = tenon::to_str("actor");
            options["of"].text = tenon::to_str(of);
            options["every"].integer = 2;
            options["bins"].integer = 2;
            options["low"].real = -1;
            options["high"].real = 1;
        };
    };
    for (const auto& [of, wanted] : {std::pair{"gradients", std::vector<double>{0, 1, 2, 0}},
                                     std::pair{"parameters", std::vector<double>{1, 0, 1, 1}}}) {
        CAPTURE(of);
        HookRig rig(kOfNetwork, with(of));
        CHECK(HookRig::names(rig.info.networks, rig.info.network_count) == std::vector<std::string>{"actor"});
        rig.give_network({-3, 0.5F, 7}, {0, 0.25F, -0.25F});
        rig.updates = 1;
        REQUIRE(rig.call(TN_HOOK_UPDATED) == TN_OK);
        CHECK(rig.reported == std::vector<double>{0, 0, 0, 0});
        rig.updates = 2;
        REQUIRE(rig.call(TN_HOOK_UPDATED) == TN_OK);
        CHECK(rig.reported == wanted);
    }
}

}  // namespace histogram_test
