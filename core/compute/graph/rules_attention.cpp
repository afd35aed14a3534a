// SPDX-License-Identifier: Apache-2.0
// Shape rules of attention: rows of all heads next to each other, [.., rows, heads * width].
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error/listed.hpp"
#include "compute/graph/rule_question.hpp"

namespace tenon::graph {
namespace {

// Which keys are allowed: bool [keys] or [queries, keys], or the first of them: int without a size or [queries].
bool suits(const Type& allowed, Dim queries, Dim keys) {
    const auto sizes = allowed.sizes();
    if (allowed.kind == Kind::kInt) {
        return sizes.empty() || (sizes.size() == 1 && sizes[0] == queries);
    }
    return allowed.kind == Kind::kBool && !sizes.empty() && sizes.size() <= 2 && sizes.back() == keys &&
           (sizes.size() == 1 || sizes[0] == queries);
}

// What is wrong with the attributes.
std::optional<Misfit> misfit_of_options(const Node& node) {
    const std::int64_t heads = int_attribute(node, "heads");
    const std::int64_t window = int_attribute(node, "window");
    if (heads < 1) {
        return Misfit{"it needs at least one head, but this is " + std::to_string(heads)};
    }
    if (window < 0 || (window > 0 && int_attribute(node, "causal") == 0)) {
        return Misfit{window < 0 ? "a window must be at least 1, or 0 for none, but this is " + std::to_string(window)
                                 : "a window of " + counted(window, "key") +
                                       " ends at the query's own key, so it needs causal = 1"};
    }
    return std::nullopt;
}

// The first of query, key and value that is number `first` of the inputs, and what does not fit.
std::optional<Misfit> misfit_of_rows(const Question& q, std::size_t first) {
    const std::int64_t heads = int_attribute(q.node, "heads");
    for (std::size_t i = first; i < first + 3; ++i) {
        const auto sizes = q.in[i].sizes();
        if (sizes.size() != 2) {
            return Misfit{"it needs [rows, heads * width], but this is " + q.text(i), static_cast<int>(i)};
        }
        if (sizes[1] % heads != 0) {
            return Misfit{counted(heads, "head") + " cannot share the " + counted(sizes[1], "element") +
                              " of a row evenly: " + q.text(i),
                          static_cast<int>(i)};
        }
    }
    const auto query = q.in[first].sizes();
    const auto key = q.in[first + 1].sizes();
    const auto value = q.in[first + 2].sizes();
    if (query[1] != key[1]) {
        return Misfit{"queries and keys are multiplied, so their rows must have the same length; these are " +
                          q.text(first) + ", and " + q.text(first + 1),
                      static_cast<int>(first), static_cast<int>(first) + 1};
    }
    if (key[0] != value[0]) {
        return Misfit{"each key has a value, but these are " + q.text(first + 1) + ", and " + q.text(first + 2),
                      static_cast<int>(first) + 1, static_cast<int>(first) + 2};
    }
    if (q.in.size() > first + 3 && !suits(q.in[first + 3], query[0], key[0])) {
        return Misfit{"what is allowed is bool [" + std::to_string(query[0]) + ", " + std::to_string(key[0]) +
                          "] or [" + std::to_string(key[0]) + "], or the first key as int [" +
                          std::to_string(query[0]) + "] or without a size, but this is " + q.text(first + 3),
                      static_cast<int>(first) + 3};
    }
    return std::nullopt;
}

// The leading dimensions of the result. `first`: the number of the query.
Outcome leading(const Question& q, std::size_t first) {
    std::optional<Misfit> misfit = misfit_of_options(q.node);
    misfit = misfit ? misfit : misfit_of_rows(q, first);
    if (misfit) {
        return *misfit;
    }
    Type out{Kind::kReal, {}};
    for (const Type& type : q.in) {
        out.dims = join_symbols(out.dims, type.symbols());
    }
    return out;
}

}  // namespace

Outcome rule::attention(const Question& q) {
    Type out = TENON_TRY(leading(q, 0));
    out.dims.push_back(q.in[0].sizes()[0]);
    out.dims.push_back(q.in[2].sizes()[1]);
    return out;
}

Outcome rule::attention_gradient(const Question& q) {
    Type out = TENON_TRY(leading(q, 1));
    std::int64_t elements = 0;
    const bool over_time = int_attribute(q.node, "over_time") != 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const auto sizes = q.in[1 + i].sizes();
        elements += (int_attribute(q.node, "wanted") >> i & 1) != 0 ? (over_time ? 1 : sizes[0]) * sizes[1] : 0;
    }
    out.dims.push_back(elements);
    return out;
}

}  // namespace tenon::graph
