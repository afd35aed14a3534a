// SPDX-License-Identifier: Apache-2.0
// Types of graph values: a kind and a shape whose leading dimensions are symbols and whose others are sizes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::graph {

// kReal is float32 or float64, as the run says; a graph does not know which.
enum class Kind : std::uint8_t { kReal, kInt, kBool };

// Positive: a size. Negative: a symbol, numbered as in tenon/abi/graph.h.
using Dim = std::int64_t;

inline constexpr Dim kRows = -1;
inline constexpr Dim kTime = -2;
inline constexpr Dim kLanes = -3;
inline constexpr Dim kFirstDerived = -16;

// The order of symbols in a shape: ensembles, time, rows, lanes.
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

// Names of the ensembles' dimensions: one per network role with members of its own.
class Symbols {
public:
    Dim members_of(std::string_view role);
    [[nodiscard]] std::string name(Dim dim) const;
    [[nodiscard]] std::string role(Dim symbol) const {
        return derived_[static_cast<std::size_t>(kFirstDerived - symbol)];
    }
    // "real [B, 4]", "int [T, L]", "real" for a scalar.
    [[nodiscard]] std::string text(const Type& type) const;

private:
    std::vector<std::string> derived_;
};

std::string_view name_of(Kind kind);

// The union of two lists of symbols, in order.
std::vector<Dim> join_symbols(std::span<const Dim> a, std::span<const Dim> b);

}  // namespace tenon::graph
