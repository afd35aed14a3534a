// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/type.hpp"

#include <algorithm>

#include "base/error/listed.hpp"

namespace tenon::graph {
namespace {

int place_of(Dim symbol) {
    return symbol == kTime ? 1 : symbol == kRows ? 2 : symbol == kLanes ? 3 : 0;
}

}  // namespace

bool precedes(Dim a, Dim b) {
    const int pa = place_of(a);
    const int pb = place_of(b);
    return pa != pb ? pa < pb : a > b;  // derived symbols count downwards
}

std::size_t Type::symbol_count() const {
    return static_cast<std::size_t>(std::count_if(dims.begin(), dims.end(), [](Dim d) { return d < 0; }));
}

bool Type::has(Dim symbol) const {
    return std::find(dims.begin(), dims.end(), symbol) != dims.end();
}

// The symbol of that name in the list; it is added if it is missing.
Dim Symbols::numbered(std::vector<Derived>& list, Dim first, std::string_view name, std::int64_t size) {
    const auto found = std::ranges::find(list, name, &Derived::name);
    const Dim number = first - (found - list.begin());
    if (found == list.end()) {
        list.push_back({std::string(name), size});
    }
    return number;
}

Dim Symbols::members_of(std::string_view role, std::int64_t count) {
    return numbered(ensembles_, kFirstDerived, role, count);
}

Dim Symbols::group(std::string_view name, std::int64_t agents) {
    return numbered(groups_, kFirstGroup, name, agents);
}

std::optional<Dim> Symbols::dimension(std::string_view name, std::int64_t size) {
    const bool of_group = std::ranges::find(groups_, name, &Derived::name) != groups_.end();
    const Dim number = of_group ? group(name, size) : numbered(made_, kFirstMade, name, size);
    return this->size(number) == size ? std::optional(number) : std::nullopt;
}

std::string Symbols::name(Dim dim) const {
    switch (dim) {
        case kRows:
            return "B";
        case kTime:
            return "T";
        case kLanes:
            return "L";
        default:
            return dim >= 0 ? std::to_string(dim)
                            : (dim <= kFirstMade ? "D("
                               : is_group(dim)   ? "A("
                                                 : "M(") +
                                  role(dim) + ")";
    }
}

std::string Symbols::text(const Type& type) const {
    std::string out{name_of(type.kind)};
    if (type.dims.empty()) {
        return out;
    }
    return out + " [" + listed(type.dims, [this](Dim dim) { return name(dim); }) + "]";
}

std::string_view name_of(Kind kind) {
    return kind == Kind::kReal ? "real" : kind == Kind::kInt ? "int" : "bool";
}

std::vector<Dim> join_symbols(std::span<const Dim> a, std::span<const Dim> b) {
    std::vector<Dim> out(a.begin(), a.end());
    for (const Dim symbol : b) {
        if (std::find(out.begin(), out.end(), symbol) == out.end()) {
            out.insert(std::find_if(out.begin(), out.end(), [&](Dim have) { return precedes(symbol, have); }), symbol);
        }
    }
    return out;
}

Type over_steps(Type type, Dim steps) {
    const auto behind = [&](Dim have) { return have >= 0 || precedes(steps, have); };
    type.dims.insert(std::find_if(type.dims.begin(), type.dims.end(), behind), steps);
    return type;
}

Type at_one_step(Type type, Dim steps) {
    std::erase(type.dims, steps);
    return type;
}

}  // namespace tenon::graph
