// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/derivative.hpp"

#include <string>
#include <vector>

#include "compute/gradient/extension.hpp"
#include "compute/gradient/gradients.hpp"
#include "compute/graph/dependence.hpp"

namespace tenon::graph {

namespace {

// Whether `of` depends on `wrt` by values that a scan is given.
bool is_given(const Graph& graph, const Derivative& wanted) {
    const std::vector<bool> paths = gradient_paths(graph, {wanted.of});
    const std::vector<bool> carries = carries_gradient(graph, paths, {wanted.wrt}, wanted.scans);
    for (NodeId id = 1; id < carries.size(); ++id) {
        const Node& node = graph.nodes[id];
        if (carries[id] && node.is(OpId::kArgument_1) && int_attribute(node, "region") == wanted.steps &&
            node.first_output != wanted.wrt) {
            return true;
        }
    }
    return false;
}

}  // namespace

Result<ValueId> add_derivative(Graph& graph, const Derivative& wanted) {
    // An author does not see this scan, and acting has none: what is given to a step must not count as constant there.
    if (wanted.steps != 0 && is_given(graph, wanted)) {
        return plugin_problem(
            "over sequences, a network with a memory runs step by step, and of depends on wrt by values of all steps; "
            "take the gradient with respect to a value that depends on the memory");
    }
    Extension extension(graph);
    const Within within{.scans = wanted.scans, .again = true};
    const std::vector<ValueId> found = TENON_TRY(add_gradients(extension, wanted.of, {wanted.wrt}, within));
    if (found.front() == 0) {
        return plugin_problem(std::string("of does not depend on wrt by operations that have a gradient") +
                              (wanted.scans.empty() ? "" : "; what the step of a scan is given is constant in it"));
    }
    return found.front();
}

}  // namespace tenon::graph
