// SPDX-License-Identifier: Apache-2.0
#include "kl_adaptive_lr.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/hook_rig.hpp"

namespace kl_adaptive_lr_test {

using tenon::test::HookRig;

namespace {

constexpr auto kAdaptive = tenon::hook<KlAdaptiveLr>("kl_adaptive_lr", "moves the learning rate");

double moved(double rate, double divergence, const std::vector<double>& options = {}) {
    HookRig rig(kAdaptive);
    rig.moved[0] = rate;
    rig.metrics[0] = divergence;
    rig.options = options;
    REQUIRE(rig.call(TN_HOOK_UPDATED) == TN_OK);
    return rig.moved[0];
}

TEST_CASE("the rate falls above twice the target, grows below half of it, and stays between") {
    CHECK(moved(3e-4, 0.021) == 3e-4 / 1.5);
    CHECK(moved(3e-4, 0.02) == 3e-4);
    CHECK(moved(3e-4, 0.005) == 3e-4);
    CHECK(moved(3e-4, 0.004) == 3e-4 * 1.5);
}

TEST_CASE("no divergence, or one that is not positive, leaves the rate") {
    CHECK(moved(3e-4, std::nan("")) == 3e-4);
    CHECK(moved(3e-4, 0) == 3e-4);
    CHECK(moved(3e-4, -1e-3) == 3e-4);
}

TEST_CASE("the rate stays within its limits") {
    CHECK(moved(1.2e-5, 1) == 1e-5);
    CHECK(moved(9e-3, 1e-6) == 1e-2);
}

TEST_CASE("the target may be scheduled") {
    CHECK(moved(3e-4, 0.021, {0.02, 2, 1.5, 1e-5, 1e-2, 0, 0}) == 3e-4);
}

}  // namespace
}  // namespace kl_adaptive_lr_test
