// SPDX-License-Identifier: Apache-2.0
// Warns of a network that guides a tree search, where no search calls it. Its priors and values then change nothing,
// and the policy acts as it would without them.
#include <algorithm>

#include "commands/validate/advices.hpp"
#include "compute/graph/context.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// A search calls the first network with a function `guide`. A network with parameters of its own has other uses.
void advise_guide(const Wiring& w, Problems& problems) {
    bool is_called = w.guide.exists();
    for (const graph::Unit& network : w.networks) {
        const auto layout = std::ranges::find(w.layouts.networks, network.role, &NetworkLayout::role);
        const bool has_parameters = layout != w.layouts.networks.end() && !layout->parameters.empty();
        if (graph::find_function(network, "guide") == nullptr || (has_parameters && !is_called)) {
            continue;
        }
        if (!is_called) {
            const bool has_search = w.guide.exists();
            problems.push_back(input_problem(
                "[policy." + network.role + "] guides no search: " +
                    (has_search ? "an earlier network does" : "no policy that acts steps copies of the env"),
                network.place,
                has_search ? "remove one of them" : "let a tree search act, or remove [policy." + network.role + "]"));
        }
        is_called = false;
    }
}

}  // namespace tenon
