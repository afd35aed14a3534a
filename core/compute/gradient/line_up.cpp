// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/line_up.hpp"

#include <algorithm>

namespace tenon::graph {
namespace {

// Whether the part lacks some dimensions of the value, for example the gradient of a sum, or a constant.
bool is_within(const Type& part, const Type& whole) {
    if (part.symbol_count() > whole.symbol_count() || part.sizes().size() > whole.sizes().size()) {
        return false;
    }
    if (!std::ranges::all_of(part.symbols(), [&](Dim symbol) { return whole.has(symbol); })) {
        return false;
    }
    const auto own = part.sizes();
    const auto all = whole.sizes();
    for (std::size_t i = 0; i < own.size(); ++i) {
        const Dim size = all[all.size() - own.size() + i];
        if (own[i] != size && own[i] != 1) {
            return false;
        }
    }
    return true;
}

}  // namespace

ValueId lined_up(Extension& graph, ValueId part, ValueId value) {
    const Type& own = graph.type(part);
    const Type& wanted = graph.type(value);
    if (own.dims == wanted.dims) {
        return part;
    }
    return graph.emit(is_within(own, wanted) ? OpId::kExpandLike_1 : OpId::kSumLike_1, {part, value});
}

}  // namespace tenon::graph
