// SPDX-License-Identifier: Apache-2.0
// The table of ops and looking things up in it.
#include "compute/graph/op.hpp"

#include <algorithm>

namespace tenon::graph {
namespace {

#include "compute/graph/generated/op_table.inc"

}  // namespace

std::span<const OpDef> op_table() {
    return kOps;
}

const OpDef& op_of(OpId id) {
    return kOps[static_cast<std::size_t>(id)];
}

std::span<const OpDef> revisions_of(std::string_view name) {
    const auto found = std::ranges::equal_range(kOps, name, {}, &OpDef::name);
    return {found.begin(), found.end()};
}

const OpDef* find_op(std::string_view name, std::uint32_t revision) {
    const auto revisions = revisions_of(name);
    const auto found = std::ranges::find(revisions, revision, &OpDef::revision);
    return found == revisions.end() ? nullptr : &*found;
}

}  // namespace tenon::graph
