// SPDX-License-Identifier: Apache-2.0
#include "quantiles.hpp"

#include <limits>

#include "support/catch.hpp"
#include "support/hook_rig.hpp"

namespace quantiles_test {

using tenon::test::HookRig;

namespace {

constexpr auto kQuantiles = tenon::hook<Quantiles>("quantiles", "of a column");
const std::vector<std::uint8_t> kNoEnds(8, 0);

TEST_CASE("quantiles of a round are those of numpy") {
    HookRig rig(kQuantiles);
    CHECK(HookRig::names(rig.info.columns, rig.info.column_count) == std::vector<std::string>{"next.reward"});
    rig.collect({4, 1, 7, 2, 9, 3, 0, 0}, kNoEnds, 2, 0, 3, 3);
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
    // numpy.quantile([4, 1, 7, 2, 9, 3], [0, 0.25, 0.5, 0.75, 1])
    CHECK(rig.reported == std::vector<double>{1, 2.25, 3.5, 6.25, 9});
}

TEST_CASE("only the newest steps are of the round, also where the ring buffer wraps around") {
    HookRig rig(kQuantiles);
    rig.collect({5, 6, 100, 100, 100, 100, 7, 8}, kNoEnds, 2, 2, 3, 2);
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
    CHECK(rig.reported == std::vector<double>{5, 5.75, 6.5, 7.25, 8});
}

TEST_CASE("values that are not finite are left out, and a round without values reports nothing") {
    HookRig rig(kQuantiles);
    const float inf = std::numeric_limits<float>::infinity();
    rig.collect({inf, 2, -inf, std::numeric_limits<float>::quiet_NaN(), 0, 0, 0, 0}, kNoEnds, 2, 0, 2, 2);
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
    CHECK(rig.reported == std::vector<double>{2, 2, 2, 2, 2});
    rig.collect({inf, inf}, {0, 0}, 2, 0, 1, 1);
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
    CHECK(rig.reported == std::vector<double>{2, 2, 2, 2, 2});
}

}  // namespace
}  // namespace quantiles_test
