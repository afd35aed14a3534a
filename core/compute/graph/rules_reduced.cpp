// SPDX-License-Identifier: Apache-2.0
// Shape rules for reductions over rows, or over the members of an ensemble.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "compute/graph/rule_question.hpp"

namespace tenon::graph {
Outcome rule::reduce_rows(const Question& q) {
    if (!q.in[0].sizes().empty()) {
        return Misfit{"it needs one value per row, but this is " + q.text(0) + "; reduce the sizes first", 0};
    }
    Type out{Kind::kReal, q.in[0].dims};
    std::erase_if(out.dims, is_row);
    return out;
}

Outcome rule::mean_rows(const Question& q) {
    Type out{Kind::kReal, q.in[0].dims};
    std::erase_if(out.dims, [](Dim dim) { return dim < 0 && !is_ensemble(dim); });
    return out;
}

Outcome rule::reduce_members(const Question& q) {
    Type out{Kind::kReal, q.in[0].dims};
    return std::erase_if(out.dims, is_ensemble) == 1
               ? Outcome(std::move(out))
               : Misfit{"it needs the members of one ensemble, but this is " + q.text(0), 0};
}

Outcome rule::least_members(const Question& q) {
    TENON_TRY(rule::reduce_members(q));
    const std::int64_t count = int_attribute(q.node, "count");
    const Dim members = *std::ranges::find_if(q.in[0].dims, is_ensemble);
    const std::int64_t members_declared = q.symbols.size(members);
    if (count < 1 || (members_declared > 0 && count > members_declared)) {
        return Misfit{.sentence = "it takes the smallest " + std::to_string(count) + " of '" + q.symbols.role(members) +
                                  "', which is an ensemble of " + std::to_string(members_declared) +
                                  ": lower its option, or raise the count of [policy." + q.symbols.role(members) + "]",
                      .first = 0,
                      .fault = Fault::kInput};
    }
    return Type{Kind::kBool, q.in[0].dims};
}

}  // namespace tenon::graph
