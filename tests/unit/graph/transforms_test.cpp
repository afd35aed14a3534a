// SPDX-License-Identifier: Apache-2.0
// Columns that transforms change, as those see them who read them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "build_fixture.hpp"
#include "in_c.hpp"
#include "support/catch.hpp"

namespace transforms_test {

using namespace tenon;
using namespace tenon::test;

namespace {

// What a reader learns of a column.
Spec spec_of(const InC& c, std::string_view key) {
    const tn_spec* found = nullptr;
    REQUIRE(c.args.api->spec_of(c.args.graph, {key.data(), key.size()}, 0, &InC::source(), &found) == TN_OK);
    CHECK((found->bound_count == 0) == (found->low == nullptr));
    CHECK((found->bound_count == 0) == (found->high == nullptr));
    Result<Spec> out = read_spec(*found, "test");
    REQUIRE(out);
    return *out;
}

Spec& column(World& world, std::string_view key) {
    return std::ranges::find(world.columns, key,
                             [](const graph::Column& each) { return std::string_view(each.spec.key); })
        ->spec;
}

}  // namespace

TEST_CASE("what a transform makes of a column has its own shape and kind, and neither bounds nor categories") {
    World world;
    world.add("task", SpecKind::kCategorical, DType::kI64, {}, {3});
    for (const char* const key : {"observation", "next.observation"}) {
        Spec& bounded = column(world, key);
        bounded.kind = SpecKind::kBounded;
        bounded.low = {-1};
        bounded.high = {2};
    }
    const auto stored = world.columns;
    AuthorInC flat([](const InC& c) { c.args.out[0] = c.emit("sum", {c.args.in[0]}, {int_in_c("axis", -1)}); }, "apply",
                   "x", "x");
    AuthorInC places([](const InC& c) { c.args.out[0] = c.emit("one_hot", {c.args.in[0]}, {int_in_c("n", 5)}); },
                     "apply", "x", "x");
    world.transforms = {{flat.unit("transform"), {"observation"}}, {places.unit("transform"), {"task"}}};
    AuthorInC author([&](const InC& c) {
        for (const char* const key : {"observation", "next.observation"}) {
            const Spec seen = spec_of(c, key);
            CHECK(seen.key == key);
            CHECK(to_string(seen) == std::string(key) + ": float32");
            CHECK(seen.role == Role::kObservation);
        }
        CHECK(to_string(spec_of(c, "task")) == "task: float32 [5]");
        CHECK(spec_of(c, "action") == stored[1].spec);
    });
    world.build(author.unit());
    CHECK(world.problems.empty());
    world.transforms.clear();
    AuthorInC plain([&](const InC& c) { CHECK(spec_of(c, "observation") == stored[0].spec); });
    world.build(plain.unit());
    CHECK(world.problems.empty());
}

}  // namespace transforms_test
