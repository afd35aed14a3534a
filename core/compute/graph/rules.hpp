// SPDX-License-Identifier: Apache-2.0
// How the type of an op's result follows from the types of its inputs, and what does not fit together.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/error/result.hpp"
#include "compute/graph/graph.hpp"

namespace tenon::graph {

// Why inputs do not fit. The operands are the numbers of inputs that the message shows, each labelled with its name and
// type; -1: none.
struct Misfit {
    std::string sentence;
    int first = -1;
    int second = -1;
    Fault fault = Fault::kPlugin;
};

// A type, or the number of one of its dimensions, unless something does not fit. TENON_TRY gives the value.
template <class T>
class Fitted : public std::variant<T, Misfit> {
public:
    using std::variant<T, Misfit>::variant;
    explicit operator bool() const { return this->index() == 0; }
    T& operator*() { return *std::get_if<T>(this); }
    Misfit& error() { return *std::get_if<Misfit>(this); }
};

// For ops of every rule but kSpecial. The node's attributes are complete and of the right type. Dimensions that the op
// makes are added to the symbols.
Fitted<Type> infer(const OpDef& op, const Node& node, std::span<const Type> inputs, Symbols& symbols);

// The common shape of two operands: symbols are joined by name, sizes line up from the right, and only a literal 1
// stretches. A value without dimensions fits every other. Nothing if they do not line up.
std::optional<Type> align(const Type& a, const Type& b);

std::string name_of_input(const OpDef& op, std::size_t number);

// An input as messages name it: "b, real [B, 1]"; with its number if the op takes any number of inputs.
std::string text_of_input(const OpDef& op, std::size_t number, const Type& type, const Symbols& symbols);

}  // namespace tenon::graph

namespace tenon::detail {

template <class T>
T value_of(graph::Fitted<T>&& tried) {
    return std::move(*tried);
}

}  // namespace tenon::detail
