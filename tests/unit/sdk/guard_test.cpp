// SPDX-License-Identifier: Apache-2.0
#include "tenon/guard.hpp"

#include <new>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/plugin_host.hpp"

namespace guard_test {

TEST_CASE("whatever is thrown ends as a status with a sentence") {
    tenon::test::PluginHost host;
    const auto run = [&](auto body) { return tenon::guard(host.table(), body); };

    CHECK(run([] {}) == TN_OK);
    CHECK(run([] { return tn_status{TN_UNAVAILABLE}; }) == TN_UNAVAILABLE);
    CHECK(host.error.empty());

    CHECK(run([] { throw tenon::InvalidArgument("gravity is upside down"); }) == TN_INVALID_ARGUMENT);
    CHECK(host.error == "gravity is upside down");
    CHECK(host.status == TN_INVALID_ARGUMENT);
    CHECK(run([] { throw tenon::DataLoss("cut short"); }) == TN_DATA_LOSS);
    CHECK(run([] { throw tenon::Fatal("the simulator died"); }) == TN_FATAL);
    CHECK(run([] { throw std::runtime_error("no such file"); }) == TN_INTERNAL);
    CHECK(host.error == "no such file");
    CHECK(run([] { throw std::bad_alloc(); }) == TN_OUT_OF_MEMORY);
    CHECK(run([] { throw 7; }) == TN_INTERNAL);
    CHECK(host.error == "the plugin threw something that is not a std::exception");
}

TEST_CASE("a failure without a sentence keeps the one that the host has") {
    tenon::test::PluginHost host;
    tenon::fail(host.table(), TN_UNAVAILABLE, "there is no display");
    CHECK(tenon::guard(host.table(), [] { throw tenon::Unavailable(""); }) == TN_UNAVAILABLE);
    CHECK(host.error == "there is no display");
}

}  // namespace guard_test
