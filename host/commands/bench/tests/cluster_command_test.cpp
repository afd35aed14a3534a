// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/cluster_command.hpp"

#include "support/catch.hpp"

namespace cluster_command_test {

using namespace tenon;

namespace {

TEST_CASE("a ratio above its bar is explained by the machine's load only if there is some") {
    const std::string told = "the exchange of 5000 floats takes 7.5 times as long as plain TCP, more than 5";
    CHECK(host::over_bar(5'000, 7.5, 5, 0.5) == told);
    CHECK(host::over_bar(5'000, 7.5, 5, 3.25) ==
          told + "; the likely reason is the machine's load, 3.25 before the measurement");
}

}  // namespace

}  // namespace cluster_command_test
