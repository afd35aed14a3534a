// SPDX-License-Identifier: Apache-2.0
#include "graph/type.hpp"

#include <algorithm>

#include "error/listed.hpp"

namespace tenon::graph {
namespace {

int place_of(Dim symbol) {
    switch (symbol) {
        case kTime:
            return 1;
        case kRows:
            return 2;
        case kLanes:
            return 3;
        default:
            return 0;
    }
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

Dim Symbols::members_of(std::string_view role, std::int64_t count) {
    const auto found = std::ranges::find(ensembles_, role, &Derived::name);
    const Dim number = kFirstDerived - (found - ensembles_.begin());
    if (found == ensembles_.end()) {
        ensembles_.push_back({std::string(role), count});
    }
    return number;
}

Dim Symbols::group(std::string_view name, std::int64_t agents) {
    const auto found = std::ranges::find(groups_, name, &Derived::name);
    const Dim number = kFirstGroup - (found - groups_.begin());
    if (found == groups_.end()) {
        groups_.push_back({std::string(name), agents});
    }
    return number;
}

std::optional<Dim> Symbols::dimension(std::string_view name, std::int64_t size) {
    if (const auto group = std::ranges::find(groups_, name, &Derived::name); group != groups_.end()) {
        return group->size == size ? std::optional(kFirstGroup - (group - groups_.begin())) : std::nullopt;
    }
    const auto found = std::ranges::find(made_, name, &Derived::name);
    const Dim number = kFirstMade - (found - made_.begin());
    if (found == made_.end()) {
        made_.push_back({std::string(name), size});
    } else if (found->size != size) {
        return std::nullopt;
    }
    return number;
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
    switch (kind) {
        case Kind::kReal:
            return "real";
        case Kind::kInt:
            return "int";
        default:
            return "bool";
    }
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
