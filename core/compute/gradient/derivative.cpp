// SPDX-License-Identifier: Apache-2.0
#include "compute/gradient/derivative.hpp"

#include <vector>

#include "compute/gradient/extension.hpp"
#include "compute/gradient/gradients.hpp"

namespace tenon::graph {

Result<ValueId> add_derivative(Graph& graph, const Derivative& wanted) {
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
