// SPDX-License-Identifier: Apache-2.0
// What kind of env a preset is chosen for.
#include "shared/presets/env_kind.hpp"

#include <limits>

#include "support/catch.hpp"

namespace env_kind_test {
namespace {

using tenon::Composite;
using tenon::EnvKind;
using tenon::Role;
using tenon::Shape;
using tenon::Spec;
using tenon::SpecKind;

Spec column(std::string key, Shape shape, SpecKind kind = SpecKind::kUnbounded, Role role = Role::kObservation) {
    Spec out;
    out.key = std::move(key);
    out.kind = kind;
    out.role = role;
    out.shape = shape;
    return out;
}

Spec action(SpecKind kind = SpecKind::kCategorical) {
    return column("action", {}, kind, Role::kAction);
}

EnvKind kind_of(std::vector<Spec> specs) {
    specs.push_back(action());
    return tenon::kind_of(Composite{std::move(specs)});
}

TEST_CASE("columns of at most one dimension are a vector, however many") {
    const EnvKind kind = kind_of({column("position", {3}), column("time", {})});
    CHECK(kind.observations == "vector");
    CHECK(kind.columns == std::vector<std::string>{"position", "time"});
    CHECK(kind.layout.empty());
}

TEST_CASE("a picture is one column of three dimensions, and channels are few") {
    CHECK(kind_of({column("observation", {4, 84, 84})}).observations == "picture");
    CHECK(kind_of({column("observation", {4, 84, 84})}).layout == "chw");
    CHECK(kind_of({column("observation", {210, 160, 3})}).observations == "picture");
    CHECK(kind_of({column("observation", {210, 160, 3})}).layout == "hwc");
    CHECK(kind_of({column("observation", {36, 36, 1})}).observations == "picture");
    CHECK(kind_of({column("observation", {35, 36, 1})}).observations == "grid");
    CHECK(kind_of({column("observation", {6, 10, 10})}).observations == "grid");
}

TEST_CASE("vectors beside a picture have a list of their own") {
    const EnvKind kind = kind_of({column("direction", {}), column("image", {7, 7, 3}), column("goal", {2})});
    CHECK(kind.observations == "grid_and_vectors");
    CHECK(kind.columns == std::vector<std::string>{"image"});
    CHECK(kind.vectors == std::vector<std::string>{"direction", "goal"});
    CHECK(kind.layout == "hwc");
    CHECK(kind_of({column("image", {3, 64, 64}), column("goal", {2})}).observations == "picture_and_vectors");
}

TEST_CASE("an action mask is not among what policies read, because they apply it") {
    Spec choice = action();
    choice.categories = {3};
    const Spec mask = column("action_mask", {3}, SpecKind::kBinary);
    const auto with_mask = [&](Shape shape) {
        return tenon::kind_of(Composite{{column("board", shape), mask, choice}});
    };
    CHECK(with_mask({3, 8, 8}).observations == "grid");
    CHECK(with_mask({3, 8, 8}).vectors.empty());
    CHECK(with_mask({8, 8}).observations == "matrix");
    CHECK(with_mask({9}).columns == std::vector<std::string>{"board"});
    CHECK(with_mask({9}).all == std::vector<std::string>{"board"});
}

TEST_CASE("one column of two dimensions is a matrix, and what has no name is mixed") {
    CHECK(kind_of({column("observation", {5, 5})}).observations == "matrix");
    CHECK(kind_of({column("a", {5, 5}), column("b", {5, 5})}).observations == "mixed");
    CHECK(kind_of({column("a", {3, 8, 8}), column("b", {3, 8, 8})}).observations == "mixed");
    CHECK(kind_of({column("a", {5, 5}), column("b", {3, 8, 8})}).observations == "mixed");
    CHECK(kind_of({column("observation", {2, 2, 2, 2})}).observations == "mixed");
    CHECK(kind_of({column("a", {2, 2, 2, 2}), column("b", {3, 8, 8})}).observations == "mixed");
    CHECK(kind_of({column("a", {5, 5}), column("b", {2})}).observations == "mixed");
    CHECK(kind_of({}).observations == "mixed");
}

TEST_CASE("the action names its kind, and several are mixed") {
    const auto actions_of = [](std::vector<Spec> specs) { return tenon::kind_of(Composite{std::move(specs)}).actions; };
    CHECK(actions_of({action(SpecKind::kCategorical)}) == "discrete");
    CHECK(actions_of({action(SpecKind::kOneHot)}) == "one_hot");
    CHECK(actions_of({action(SpecKind::kMultiCategorical)}) == "multi_discrete");
    CHECK(actions_of({action(SpecKind::kBinary)}) == "binary");
    CHECK(actions_of({action(SpecKind::kBounded)}) == "continuous");
    CHECK(actions_of({action(SpecKind::kUnbounded)}) == "continuous");
    CHECK(actions_of({action(), action()}) == "mixed");
}

TEST_CASE("a bound of one element is a bound, and infinity is none") {
    Spec some = column("observation", {2}, SpecKind::kBounded);
    some.low = {-4.8, -std::numeric_limits<float>::max()};
    some.high = {4.8, std::numeric_limits<float>::max()};
    Spec none = some;
    none.high = {std::numeric_limits<double>::infinity()};
    CHECK(kind_of({some}).bounded);
    CHECK_FALSE(kind_of({none}).bounded);
    CHECK_FALSE(kind_of({some, column("other", {2})}).bounded);
    CHECK(kind_of({column("cell", {}, SpecKind::kCategorical)}).bounded);
}

TEST_CASE("of a group, columns are named as its policies name them") {
    std::vector<Spec> specs = {column("agents.observation", {3, 18}),
                               column("agents.action", {3}, SpecKind::kCategorical, Role::kAction),
                               column("state", {54})};
    specs[0].group = specs[1].group = "agents";
    const EnvKind kind = tenon::kind_of(Composite{specs});
    CHECK(kind.group == "agents");
    CHECK(kind.observations == "vector");
    CHECK(kind.columns == std::vector<std::string>{"observation"});
    CHECK(kind.state == std::vector<std::string>{"state"});
    specs.pop_back();
    CHECK(tenon::kind_of(Composite{specs}).state == std::vector<std::string>{"agents.observation"});
}

}  // namespace
}  // namespace env_kind_test
