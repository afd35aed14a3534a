// SPDX-License-Identifier: Apache-2.0
// Shape rules for leading dimensions: those that a graph makes, picks from or collects, and time.
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compute/graph/attributes.hpp"
#include "compute/graph/rule_question.hpp"

namespace tenon::graph {
namespace {

// The type's derived dimension with this name; all of them if the name is empty.
std::vector<Dim> derived_in(const Question& q, const Type& type, const std::string& of) {
    std::vector<Dim> found;
    std::ranges::copy_if(type.symbols(), std::back_inserter(found),
                         [&](Dim dim) { return is_derived(dim) && (of.empty() || q.symbols.role(dim) == of); });
    return found;
}

// The derived dimension that the node's attribute means.
Fitted<Dim> derived_of(const Question& q) {
    const std::string& of = text_of(q.node.attributes, "of");
    const std::vector<Dim> found = derived_in(q, q.in[0], of);
    if (found.size() == 1) {
        return found.front();
    }
    if (!of.empty()) {
        return Misfit{"there is no dimension '" + of + "' in " + q.text(0), 0};
    }
    return Misfit{found.empty() ? "it needs the members of an ensemble or a dimension made by spread or stack, "
                                  "but this is " +
                                      q.text(0)
                                : "it must name its dimension with `of`, because this is " + q.text(0),
                  0};
}

Type without(const Type& type, Dim symbol) {
    Type out = type;
    std::erase(out.dims, symbol);
    return out;
}

// The type with a leading dimension of that name and size, which it must not have yet.
Outcome with_dimension(const Question& q, const Type& type, std::int64_t size) {
    const std::string& name = string_attribute(q.node, "name");
    if (size < 1) {
        return Misfit{"the size of a dimension must be at least 1, not " + std::to_string(size)};
    }
    const std::optional<Dim> made = q.symbols.dimension(name, size);
    if (!made) {
        return Misfit{"another dimension '" + name + "' has a different size, and this one has " +
                      std::to_string(size) + "; give it another name"};
    }
    if (type.has(*made)) {
        return Misfit{"it already has the dimension '" + name + "': " + q.text(0), 0};
    }
    return typed(type.kind, join_symbols(type.symbols(), std::span(&*made, 1)), type.sizes());
}

}  // namespace

Outcome rule::spread(const Question& q) {
    return with_dimension(q, q.in[0], int_attribute(q.node, "n"));
}

Outcome rule::stack(const Question& q) {
    Type all = q.in[0];
    for (std::size_t i = 1; i < q.in.size(); ++i) {
        std::optional<Type> both = align(all, q.in[i]);
        if (!both || !std::ranges::equal(all.sizes(), q.in[i].sizes()) || q.in[i].kind != all.kind) {
            return Misfit{"stacked values must have the same kind and sizes, but these are " + q.symbols.text(q.in[0]) +
                              " and " + q.symbols.text(q.in[i]),
                          0, static_cast<int>(i)};
        }
        both->kind = all.kind;
        all = std::move(*both);
    }
    return with_dimension(q, all, static_cast<std::int64_t>(q.in.size()));
}

Outcome rule::pick(const Question& q) {
    const Dim symbol = TENON_TRY(derived_of(q));
    const std::int64_t index = int_attribute(q.node, "index");
    const std::int64_t declared = q.symbols.size(symbol);
    if (index < 0 || (declared > 0 && index >= declared)) {
        return Misfit{"it picks number " + std::to_string(index) + ", and '" + q.symbols.role(symbol) +
                          "' has numbers 0 to " + std::to_string(declared - 1),
                      0};
    }
    return without(q.in[0], symbol);
}

Outcome rule::collect(const Question& q) {
    const Dim symbol = TENON_TRY(derived_of(q));
    const std::int64_t declared = q.symbols.size(symbol);
    if (declared < 1) {
        return Misfit{"the size of this dimension is not known here: " + q.text(0), 0};
    }
    Type out = without(q.in[0], symbol);
    out.dims.push_back(declared);
    return out;
}

// Only the host emits this op and the next one, and their attributes always fit.
Outcome rule::group(const Question& q) {
    const std::ptrdiff_t place = TENON_TRY(size_at(q, q.in[0], int_attribute(q.node, "axis")));
    Type one = q.in[0];
    const auto at = one.dims.begin() + place;
    const std::int64_t agents = *at;
    one.dims.erase(at);
    return with_dimension(q, one, agents);
}

Outcome rule::ungroup(const Question& q) {
    const std::string& name = string_attribute(q.node, "name");
    const std::vector<Dim> found = derived_in(q, q.in[0], name);
    if (found.empty()) {
        return Misfit{"there is no dimension '" + name + "' in " + q.text(0), 0};
    }
    const std::int64_t agents = q.symbols.size(found.front());
    Type out = without(q.in[0], found.front());
    out.dims.push_back(agents);
    const std::ptrdiff_t place = TENON_TRY(size_at(q, out, int_attribute(q.node, "axis")));
    out.dims.pop_back();
    out.dims.insert(out.dims.begin() + place, agents);
    return out;
}

Outcome rule::uncollect(const Question& q) {
    const Type& x = q.in[0];
    const std::string& of = text_of(q.node.attributes, "of");
    std::vector<Dim> found = derived_in(q, q.in[1], of);
    std::erase_if(found, [&](Dim dim) { return x.has(dim); });
    if (found.size() != 1) {
        return Misfit{(found.empty() ? "there is no dimension" + (of.empty() ? std::string() : " '" + of + "'") +
                                           " that the one has and the other lacks: "
                                     : "it must name its dimension with `of`: ") +
                          q.text(1) + ", and " + q.text(0),
                      0, 1};
    }
    const std::int64_t declared = q.symbols.size(found.front());
    if (x.sizes().empty() || x.sizes().back() != declared) {
        return Misfit{"the last size of " + q.text(0) + ", must be " + std::to_string(declared) + ", as large as '" +
                          q.symbols.role(found.front()) + "'",
                      0};
    }
    Type out{x.kind, join_symbols(x.symbols(), found)};
    out.dims.insert(out.dims.end(), x.sizes().begin(), x.sizes().end() - 1);
    return out;
}

Outcome rule::at_time(const Question& q) {
    Type out = q.in[0];
    if (!out.has(kTime)) {
        return Misfit{"it takes one step of a sequence, but this is " + q.text(0), 0};
    }
    std::erase(out.dims, kTime);
    return out;
}

// Only the host emits this op and the next one, and their inputs always fit.
Outcome rule::windows(const Question& q) {
    Type out{Kind::kReal, q.in[0].dims};
    if (!out.has(kTime)) {
        return Misfit{"it takes steps of a sequence, but this is " + q.text(0), 0};
    }
    const std::int64_t from_end = -int_attribute(q.node, "axis") - 1;
    out.dims.insert(out.dims.end() - from_end, int_attribute(q.node, "window"));
    return out;
}

Outcome rule::sum_windows(const Question& q) {
    const std::ptrdiff_t at = TENON_TRY(size_at(q, q.in[0], int_attribute(q.node, "axis")));
    Type out{Kind::kReal, q.in[0].dims};
    out.dims.erase(out.dims.begin() + at);
    return out;
}

}  // namespace tenon::graph
