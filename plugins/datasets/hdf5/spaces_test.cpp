// SPDX-License-Identifier: Apache-2.0
// Spaces become columns, and columns the same spaces again.
#include "spaces.hpp"

#include "support/catch.hpp"
#include "tenon/guard.hpp"

namespace spaces_test {

using hdf5::Part;
using hdf5::Parts;

Parts parts_of(const std::string& space) {
    Parts out;
    hdf5::add_parts(hdf5::parse_json(space, "space"), "observation", "observations", TN_ROLE_OBSERVATION, out);
    return out;
}

// As serialize_space of Minari 0.5.4 writes them.
constexpr const char* kNested =
    R"({"type": "Dict", "subspaces": {"n": {"type": "Discrete", "dtype": "int64", "start": 0, "n": 5}, )"
    R"("pos": {"type": "Box", "dtype": "float32", "shape": [2], "low": [-1.0, -2.0], "high": [1.0, Infinity]}, )"
    R"("t": {"type": "Tuple", "subspaces": [{"type": "Box", "dtype": "uint8", "shape": [1, 2], "low": [[0, 0]], "high": [[255, 255]]}, )"
    R"({"type": "MultiBinary", "n": 3}]}}})";

TEST_CASE("parts of spaces become columns with dotted keys") {
    const Parts parts = parts_of(kNested);
    REQUIRE(parts.columns.size() == 4);
    CHECK(parts.columns[0].spec.key == "observation.n");
    CHECK(parts.columns[0].spec.categories == std::vector<std::int64_t>{5});
    CHECK(parts.columns[1].path == "observations/pos");
    CHECK(parts.columns[1].spec.low == std::vector<double>{-1, -2});
    CHECK(parts.columns[2].spec.key == "observation.t.0");
    CHECK(parts.columns[2].path == "observations/t/_index_0");
    CHECK(parts.columns[2].spec.dtype == TN_U8);
    CHECK(parts.columns[3].spec.kind == TN_SPEC_BINARY);
    for (const Part& part : parts.columns) {
        CHECK(part.spec.role == TN_ROLE_OBSERVATION);
    }
}

TEST_CASE("columns become the space that they come from") {
    Parts parts = parts_of(kNested);
    for (Part& part : parts.columns) {
        part.path.clear();
    }
    CHECK(hdf5::space_of(parts.columns, TN_ROLE_OBSERVATION, "observation", "observations") == kNested);
    CHECK(parts.columns[2].path == "observations/t/_index_0");
}

TEST_CASE("a box without finite bounds is unbounded, and is written with infinite ones") {
    const std::string box =
        R"({"type": "Box", "dtype": "float64", "shape": [2], "low": [-Infinity, -Infinity], "high": [Infinity, Infinity]})";
    Parts parts = parts_of(box);
    REQUIRE(parts.columns.size() == 1);
    CHECK(parts.columns[0].spec.key == "observation");
    CHECK(parts.columns[0].spec.kind == TN_SPEC_UNBOUNDED);
    CHECK(hdf5::space_of(parts.columns, TN_ROLE_OBSERVATION, "observation", "observations") == box);
}

TEST_CASE("categories that do not begin at 0 have their start") {
    const Parts one = parts_of(R"({"type": "Discrete", "dtype": "int64", "start": -2, "n": 4})");
    CHECK(one.columns.at(0).start == std::vector<std::int64_t>{-2});
    const Parts many = parts_of(R"({"type": "MultiDiscrete", "dtype": "int64", "nvec": [[2, 3]], "start": [[0, 1]]})");
    CHECK(many.columns.at(0).spec.categories == std::vector<std::int64_t>{2, 3});
    CHECK(many.columns.at(0).start == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("text, unknown spaces and names that are no keys are left out, with the reason") {
    const Parts parts = parts_of(
        R"({"type": "Dict", "subspaces": {"t": {"type": "Text"}, "g": {"type": "Graph"}, "a b": {"type": "MultiBinary", "n": 1}}})");
    CHECK(parts.columns.empty());
    CHECK(parts.left_out == std::vector<std::string>{"'observation.t', because it is text",
                                                     "'observation.g', because its space has the type 'Graph'",
                                                     "'observation.a b', because its name is no key of a column"});
}

TEST_CASE("an observation beside others is a part of that name") {
    std::vector<Part> columns(2);
    columns[0].spec = tenon::unbounded("observation", {1});
    columns[1].spec = tenon::categorical("goal", 3);
    for (Part& part : columns) {
        part.spec.role = TN_ROLE_OBSERVATION;
    }
    const std::string space = hdf5::space_of(columns, TN_ROLE_OBSERVATION, "observation", "observations");
    CHECK(space.starts_with(R"({"type": "Dict", "subspaces": {"goal": )"));
    CHECK(columns[0].path == "observations/observation");
    CHECK_THROWS_AS(hdf5::space_of(columns, TN_ROLE_ACTION, "action", "actions"), tenon::InvalidArgument);
}

}  // namespace spaces_test
