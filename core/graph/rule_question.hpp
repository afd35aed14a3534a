// SPDX-License-Identifier: Apache-2.0
// What the rules of shape ask each other; inside of the graph only.
#pragma once

#include <cstddef>
#include <cstdint>
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

// rules.cpp: int where all are, real otherwise.
Kind arithmetic_kind(std::span<const Type> in);

// The sizes of inputs pair, or all but the last where an op joins along that one.
enum class LastSize : std::uint8_t { kPairs, kJoined };

// Of an input that does not line up with those before it: then there is one among them that it does not line up with.
Misfit misfit_at(const Question& q, std::size_t number, LastSize last = LastSize::kPairs);

// rules_sizes.cpp: sizes that leave, enter, join and are rearranged.
// The position among the type's dimensions that an axis counted from the end (-1) means, among sizes only.
std::variant<std::size_t, Misfit> size_at(const Question& q, const Type& type, std::int64_t axis);
Outcome reduce(const Question& q, Kind kind);
Outcome gather(const Question& q);
Outcome one_hot(const Question& q);
Outcome concat(const Question& q);
Outcome slice(const Question& q);
Outcome pad(const Question& q);
Outcome unsqueeze(const Question& q);
Outcome squeeze(const Question& q);
Outcome reshape(const Question& q);
Outcome transpose(const Question& q);

// rules_along.cpp: orders along a size, and what goes by them.
Outcome argsort(const Question& q);
Outcome take_along(const Question& q);
Outcome put_along(const Question& q);

// rules_reduced.cpp: leading dimensions that are reduced.
Outcome reduce_rows(const Question& q);
Outcome mean_rows(const Question& q);
Outcome reduce_members(const Question& q);
Outcome least_members(const Question& q);

// rules_dimensions.cpp: such that a graph makes, and undoes; time.
Outcome spread(const Question& q, Symbols& symbols);
Outcome stack(const Question& q, Symbols& symbols);
Outcome pick(const Question& q);
Outcome collect(const Question& q);
Outcome group(const Question& q, Symbols& symbols);
Outcome ungroup(const Question& q);
Outcome at_time(const Question& q);

// rules_images.cpp: filters and windows on images.
Outcome conv2d(const Question& q);
Outcome max_pool2d(const Question& q);
Outcome patches(const Question& q);
Outcome unpatch(const Question& q);

}  // namespace tenon::graph
