// SPDX-License-Identifier: Apache-2.0
// Round numbers along an axis, and their text.
#include "shared/pictures/ticks.hpp"

#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ticks_test {

namespace {

using tenon::tick_text;
using tenon::ticks;

std::vector<std::string> texts(double low, double high, std::size_t most) {
    const std::vector<double> all = ticks(low, high, most);
    std::vector<std::string> out;
    for (const double value : all) {
        out.push_back(tick_text(value, all.size() > 1 ? all[1] - all[0] : value));
    }
    return out;
}

}  // namespace

TEST_CASE("ticks are round, within the range, and not too many") {
    using Texts = std::vector<std::string>;
    CHECK(texts(0, 1, 6) == Texts{"0", "0.2", "0.4", "0.6", "0.8", "1"});
    CHECK(texts(0, 500, 6) == Texts{"0", "100", "200", "300", "400", "500"});
    CHECK(texts(0, 50'000, 8) == Texts{"0", "10k", "20k", "30k", "40k", "50k"});
    CHECK(texts(0, 3'000'000, 7) == Texts{"0", "500k", "1M", "1.5M", "2M", "2.5M", "3M"});
    CHECK(texts(-21, 21, 5) == Texts{"-20", "-10", "0", "10", "20"});
    CHECK(texts(-1500, -100, 4) == Texts{"-1500", "-1000", "-500"});
    CHECK(texts(1e-4, 5e-4, 5) == Texts{"0.0001", "0.0002", "0.0003", "0.0004", "0.0005"});
    CHECK(ticks(0.3, 0.3, 5).empty());
    CHECK(ticks(1, 0, 5).empty());
    CHECK(ticks(0, std::numeric_limits<double>::infinity(), 5).empty());
    for (const double range : {1e-7, 0.3, 1.0, 7.7, 999.0, 1e9}) {
        for (std::size_t most = 2; most < 12; ++most) {
            const std::vector<double> all = ticks(-range / 3, range, most);
            CAPTURE(range, most);
            CHECK(all.size() <= most);
            CHECK(!all.empty());
        }
    }
}

}  // namespace ticks_test
