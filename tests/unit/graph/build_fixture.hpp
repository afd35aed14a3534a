// SPDX-License-Identifier: Apache-2.0
// A small world to build graphs in: CartPole's columns, authors' units, everything declared remembered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "authors.hpp"
#include "compute/graph/builder.hpp"
#include "compute/graph/text.hpp"

namespace tenon::test {

inline graph::Unit unit_of(const char* author, std::string role, std::string component) {
    const Author found = author_called(author);
    graph::Unit unit;
    unit.role = std::move(role);
    unit.component = std::move(component);
    unit.api = found.api;
    unit.self = found.self;
    const tn_function* const* list = nullptr;
    std::uint32_t count = 0;
    unit.api->functions(unit.self, &list, &count);
    unit.functions.assign(list, list + count);
    return unit;
}

inline std::size_t count_op(const graph::Graph& graph, std::string_view op) {
    return static_cast<std::size_t>(std::ranges::count_if(
        graph.nodes, [&](const graph::Node& node) { return node.op != nullptr && node.op->name == op; }));
}

struct World {
    std::vector<graph::Column> columns;
    std::vector<graph::Unit> networks;
    std::vector<graph::ColumnTransform> transforms;
    std::vector<graph::StandIn> stand_ins;
    std::set<std::string> stood_in;
    std::set<std::string> called;
    std::vector<graph::Group> groups;
    std::vector<std::string> declared;  // "role/name" in the order asked for
    std::function<void(const graph::ParameterRequest&)> agrees = [](const graph::ParameterRequest&) {};
    Problems problems;

    World() {
        add("observation", SpecKind::kUnbounded, DType::kF32, {4});
        add("action", SpecKind::kCategorical, DType::kI64, {}, {2});
        add("next.observation", SpecKind::kUnbounded, DType::kF32, {4});
        add("next.reward", SpecKind::kUnbounded, DType::kF32, {});
        add("next.terminated", SpecKind::kBinary, DType::kBool, {});
        add("next.done", SpecKind::kBinary, DType::kBool, {});
    }

    void add(std::string key, SpecKind kind, DType dtype, Shape shape, std::vector<std::int64_t> categories = {}) {
        Spec spec;
        spec.key = std::move(key);
        spec.kind = kind;
        spec.dtype = dtype;
        spec.shape = shape;
        spec.categories = std::move(categories);
        columns.push_back({std::move(spec), "test"});
    }

    graph::Context context(std::string_view function, std::vector<graph::Dim> leading = {graph::kRows}) {
        return {.program = std::string(function),
                .leading = std::move(leading),
                .columns = &columns,
                .networks = &networks,
                .transforms = &transforms,
                .groups = &groups,
                .stand_ins = &stand_ins,
                .stood_in = &stood_in,
                .called = &called,
                .trains = function == "update",
                .declare =
                    [this](const graph::ParameterRequest& request) {
                        declared.push_back(std::string(request.role) + "/" + std::string(request.name));
                        agrees(request);
                        return Status();
                    },
                .take_error = [] { return std::string(); }};
    }

    graph::Graph build(const graph::Unit& unit, std::string_view function = "update",
                       std::vector<graph::Dim> leading = {graph::kRows}) {
        graph::Builder builder(context(function, std::move(leading)), problems);
        builder.build(unit, function, {}, "train");
        return builder.take();
    }

    graph::Graph objective(const char* author) { return build(unit_of(author, "objective", "test/objective")); }
};

}  // namespace tenon::test
