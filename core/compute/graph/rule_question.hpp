// SPDX-License-Identifier: Apache-2.0
// What the rules of shape ask each other; inside of the graph only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "compute/graph/rules.hpp"

namespace tenon::graph {

using Outcome = std::variant<Type, Misfit>;

struct Question {
    const OpDef& op;
    const Node& node;
    std::span<const Type> in;
    Symbols& symbols;  // a rule may add a dimension that its op makes

    [[nodiscard]] std::string text(std::size_t i) const { return text_of_input(op, i, in[i], symbols); }
};

// rules.cpp: int where all are, real otherwise.
Kind arithmetic_kind(std::span<const Type> in);

// Of an input that does not line up with those before it: then there is one among them that it does not line up with.
// Where an op joins along a size, that one need not pair; it is counted from the end, and 0 means none.
Misfit misfit_at(const Question& q, std::size_t number, std::int64_t joined = 0);

// The position among the type's dimensions that an axis counted from the end (-1) means, among sizes only.
std::variant<std::size_t, Misfit> size_at(const Question& q, const Type& type, std::int64_t axis);

// The rules themselves: a function each, all of one form.
namespace rule {
#define RULE(function, name) Outcome function(const Question& q);
#include "compute/graph/generated/rules.inc"
#undef RULE

inline constexpr Outcome (*kRules[])(const Question&) = {
#define RULE(function, name) function,
#include "compute/graph/generated/rules.inc"
#undef RULE
    nullptr,  // special
};
}  // namespace rule

}  // namespace tenon::graph
