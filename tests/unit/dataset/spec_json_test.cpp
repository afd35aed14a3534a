// SPDX-License-Identifier: Apache-2.0
// Specs written as JSON are read back as they were.
#include "experience/dataset/spec_json.hpp"

#include <limits>

#include "support/catch.hpp"

namespace spec_json_test {

using tenon::Composite;
using tenon::DType;
using tenon::Role;
using tenon::Spec;
using tenon::SpecKind;

TEST_CASE("specs of every kind, with infinite bounds") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Composite specs;
    specs.specs.push_back({.key = "observation.pos",
                           .kind = SpecKind::kBounded,
                           .role = Role::kObservation,
                           .dtype = DType::kF32,
                           .shape = {2},
                           .low = {-kInfinity, -1.5},
                           .high = {4.8, kInfinity},
                           .categories = {}});
    specs.specs.push_back({.key = "action",
                           .kind = SpecKind::kMultiCategorical,
                           .role = Role::kAction,
                           .dtype = DType::kI64,
                           .shape = {2},
                           .low = {},
                           .high = {},
                           .categories = {3, 4}});
    Spec reward;
    reward.key = "reward";
    reward.role = Role::kReward;
    reward.dtype = DType::kF64;
    specs.specs.push_back(reward);
    CHECK(tenon::specs_from_json(tenon::specs_to_json(specs)) == specs);
}

TEST_CASE("what is not a spec is left out") {
    CHECK(tenon::specs_from_json("no json").specs.empty());
    CHECK(tenon::specs_from_json(R"([{"key": "a"}, 3, {"key": "reward", "role": "reward", "kind": "unbounded",
                                      "dtype": "float32", "shape": []}])")
              .specs.size() == 1);
}

}  // namespace spec_json_test
