// SPDX-License-Identifier: Apache-2.0
// What the shape rules share; only files of the graph include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "compute/graph/rules.hpp"

namespace tenon::graph {

using Outcome = Fitted<Type>;

struct Question {
    const OpDef& op;
    const Node& node;
    std::span<const Type> in;
    Symbols& symbols;  // a rule may add a dimension that its op makes

    [[nodiscard]] std::string text(std::size_t i) const { return text_of_input(op, i, in[i], symbols); }
};

// The type with these symbols, then these sizes.
inline Type typed(Kind kind, std::span<const Dim> symbols, std::span<const Dim> sizes) {
    Type out{kind, {symbols.begin(), symbols.end()}};
    out.dims.insert(out.dims.end(), sizes.begin(), sizes.end());
    return out;
}

// int if all inputs are int, otherwise real (rules.cpp).
Kind arithmetic_kind(std::span<const Type> in);

// Finds an earlier input that does not line up with this one; call it if this one does not line up with all of them.
// Where an op joins along a size, this size may differ; it is counted from the end, and 0 means none.
Misfit misfit_at(const Question& q, std::size_t number, std::int64_t joined = 0);

// The position of an axis, counted from the end (-1), among all dimensions of the type. The axis must be a size.
Fitted<std::ptrdiff_t> size_at(const Question& q, const Type& type, std::int64_t axis);

// The shape rules, each a function of this form.
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
