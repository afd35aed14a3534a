// SPDX-License-Identifier: Apache-2.0
// Types of graph values: a kind and a shape whose leading dimensions are symbols and whose others are sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::graph {

// kReal is float32 or float64, as the run chooses; the graph is the same for both.
enum class Kind : std::uint8_t { kReal, kInt, kBool };

// Positive: a size. Negative: a symbol, numbered as in tenon/abi/graph.h.
using Dim = std::int64_t;

inline constexpr Dim kRows = -1;
inline constexpr Dim kTime = -2;
inline constexpr Dim kLanes = -3;
inline constexpr Dim kFirstDerived = -16;  // ensembles
inline constexpr Dim kFirstGroup = -512;   // groups of agents
inline constexpr Dim kFirstMade = -1024;   // those that a graph makes itself

// One of rows, time and lanes.
constexpr bool is_row(Dim dim) {
    return dim < 0 && dim > kFirstDerived;
}
// Any other symbol: of an ensemble, a group or what a graph has made.
constexpr bool is_derived(Dim dim) {
    return dim <= kFirstDerived;
}
constexpr bool is_ensemble(Dim dim) {
    return dim <= kFirstDerived && dim > kFirstGroup;
}
constexpr bool is_group(Dim dim) {
    return dim <= kFirstGroup && dim > kFirstMade;
}

// The order of symbols in a shape: ensembles, groups, what a graph has made, time, rows, lanes.
bool precedes(Dim a, Dim b);

struct Type {
    Kind kind = Kind::kReal;
    std::vector<Dim> dims;  // symbols in their order, then sizes

    [[nodiscard]] std::size_t symbol_count() const;
    [[nodiscard]] std::span<const Dim> symbols() const { return std::span(dims).first(symbol_count()); }
    [[nodiscard]] std::span<const Dim> sizes() const { return std::span(dims).subspan(symbol_count()); }
    [[nodiscard]] bool has(Dim symbol) const;
    bool operator==(const Type&) const = default;
};

// Names of derived dimensions: one per network role with members of its own, one per group of agents, and those that a
// graph makes itself.
class Symbols {
public:
    // The members of an ensemble; a count of 0 is not known yet.
    Dim members_of(std::string_view role, std::int64_t count = 0);
    // The dimension of a group's agents.
    Dim group(std::string_view name, std::int64_t agents);
    // A dimension that a graph makes, or the group of that name; nothing if the name exists with another size.
    std::optional<Dim> dimension(std::string_view name, std::int64_t size);
    // The size; 0 if it is not known.
    [[nodiscard]] std::int64_t size(Dim symbol) const { return entry(symbol).size; }
    [[nodiscard]] std::string name(Dim dim) const;
    [[nodiscard]] const std::string& role(Dim symbol) const { return entry(symbol).name; }
    // "real [B, 4]", "int [T, L]", "real" for a scalar.
    [[nodiscard]] std::string text(const Type& type) const;

private:
    struct Derived {
        std::string name;
        std::int64_t size = 0;
    };
    static Dim numbered(std::vector<Derived>& list, Dim first, std::string_view name, std::int64_t size);
    [[nodiscard]] const Derived& entry(Dim symbol) const {
        return symbol <= kFirstMade    ? made_[static_cast<std::size_t>(kFirstMade - symbol)]
               : symbol <= kFirstGroup ? groups_[static_cast<std::size_t>(kFirstGroup - symbol)]
                                       : ensembles_[static_cast<std::size_t>(kFirstDerived - symbol)];
    }
    std::vector<Derived> ensembles_;
    std::vector<Derived> groups_;
    std::vector<Derived> made_;
};

std::string_view name_of(Kind kind);

// The union of two lists of symbols, in order.
std::vector<Dim> join_symbols(std::span<const Dim> a, std::span<const Dim> b);

// over_steps: the type of a value at every step of a loop along that dimension. The other one: the type of such a value
// at one step.
Type over_steps(Type type, Dim steps);
Type at_one_step(Type type, Dim steps);

}  // namespace tenon::graph
