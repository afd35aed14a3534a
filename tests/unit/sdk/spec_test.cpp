// SPDX-License-Identifier: Apache-2.0
#include "tenon/spec.hpp"

#include <cmath>
#include <utility>

#include "support/catch.hpp"

namespace spec_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

TEST_CASE("specs cross the ABI and come back the same") {
    tenon::SpecTable table({tenon::bounded("a", {2}, {-1, -INFINITY}, {1, 2}, TN_F64), tenon::unbounded("b"),
                            tenon::categorical("c", 4), tenon::one_hot("d", 3), tenon::multi_categorical("e", {3, 5}),
                            tenon::binary("f", {2, 2})});
    const tenon::SpecTable moved = std::move(table);
    REQUIRE(moved.size() == 6);
    for (std::uint32_t i = 0; i < moved.size(); ++i) {
        const tenon::Spec& spec = moved.specs()[i];
        const tenon::Spec back = tenon::read_spec(*moved.data()[i]);
        CHECK(back.key == spec.key);
        CHECK(back.kind == spec.kind);
        CHECK(back.dtype == spec.dtype);
        CHECK(back.shape == spec.shape);
        CHECK(back.low == spec.low);
        CHECK(back.high == spec.high);
        CHECK(back.categories == spec.categories);
    }
    CHECK(moved.specs()[2].dtype == TN_I64);
    CHECK(moved.specs()[3].shape == tenon::Shape{3});
    CHECK(moved.specs()[4].shape == tenon::Shape{2});
    CHECK(moved.specs()[5].elements() == 4);
}

TEST_CASE("a spec that cannot be right is refused by its key") {
    const auto refused = [](tenon::Spec spec, const std::string& why) {
        const std::string key = spec.key;
        CHECK_THROWS_MATCHES(tenon::SpecTable({std::move(spec)}), tenon::InvalidArgument,
                             MessageMatches(ContainsSubstring("'" + key + "'") && ContainsSubstring(why)));
    };
    refused(tenon::bounded("o", {3}, {0, 0}, {1, 1}), "needs one bound");
    refused(tenon::bounded("o", {2}, {0, 0}, {1}), "different numbers of lower and upper bounds");
    refused(tenon::bounded("o", {2}, 1, 0), "lower bound above");
    refused(tenon::bounded("o", {2}, NAN, 0), "lower bound above");
    refused(tenon::unbounded("o", {2, 0}), "extent below 1");
    refused(tenon::categorical("a", 0), "category count");
    refused(tenon::unbounded(""), "no key");
    CHECK_THROWS_MATCHES(tenon::SpecTable({tenon::unbounded("o"), tenon::unbounded("o")}), tenon::InvalidArgument,
                         MessageMatches(ContainsSubstring("two specs")));
}

}  // namespace spec_test
