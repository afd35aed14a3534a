// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/scan_arguments.hpp"

#include <algorithm>

namespace tenon::graph {

ValueId entered(const Region& scan, ValueId sequence) {
    const auto known = std::ranges::find(scan.arguments.begin() + scan.carries, scan.arguments.end(), sequence);
    return known == scan.arguments.end() ? 0 : scan.inputs[static_cast<std::size_t>(known - scan.arguments.begin())];
}

void drop_arguments(Graph& graph, Region& scan, std::size_t first, const std::vector<bool>& needed) {
    std::size_t kept = first;
    for (std::size_t i = first; i < scan.inputs.size(); ++i) {
        const NodeId node = graph.values[scan.inputs[i]].node;
        if (needed[node]) {
            graph.nodes[node].attributes.front().value = static_cast<std::int64_t>(kept);
            scan.inputs[kept] = scan.inputs[i];
            scan.arguments[kept] = scan.arguments[i];
            ++kept;
        }
    }
    scan.inputs.resize(kept);
    scan.arguments.resize(kept);
}

}  // namespace tenon::graph
