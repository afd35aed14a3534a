// SPDX-License-Identifier: Apache-2.0
// What the rules of shape ask each other; inside of the graph only.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "graph/rules.hpp"

namespace tenon::graph {

using Outcome = std::variant<Type, Misfit>;

struct Question {
    const OpDef& op;
    const Node& node;
    std::span<const Type> in;
    const Symbols& symbols;

    [[nodiscard]] std::string text(std::size_t i) const { return text_of_input(op, i, in[i], symbols); }
};

// rules_reduced.cpp: leading dimensions that are reduced.
Outcome reduce_rows(const Question& q);
Outcome mean_rows(const Question& q);
Outcome reduce_members(const Question& q);
Outcome least_members(const Question& q);
// rules_dimensions.cpp: such that a graph makes, and undoes.
Outcome spread(const Question& q, Symbols& symbols);
Outcome stack(const Question& q, Symbols& symbols);
Outcome pick(const Question& q);
Outcome collect(const Question& q);

// rules_images.cpp: filters and windows on images.
Outcome conv2d(const Question& q);
Outcome max_pool2d(const Question& q);

}  // namespace tenon::graph
