// SPDX-License-Identifier: Apache-2.0
// Slabs for the networks of a wiring.
#include <algorithm>
#include <utility>

#include "train/trainer.hpp"
#include "train/weights.hpp"

namespace tenon {

Result<Learner> make_learner(const Wiring& wiring) {
    Learner learner{.real = wiring.real(), .networks = {}};
    const auto seed = static_cast<std::uint64_t>(wiring.manifest.run.seed);
    for (const NetworkLayout& layout : wiring.layouts.networks) {
        Network network;
        network.layout = layout;
        const auto& targets = wiring.layouts.with_target;
        const bool wants_target = std::find(targets.begin(), targets.end(), layout.role) != targets.end();
        if (Status done = initialise(network, learner.real, seed, wants_target); !done) {
            return std::move(done).error();
        }
        learner.networks.push_back(std::move(network));
    }
    for (const PolicyTable& policy : wiring.manifest.policies) {
        Network* network = learner.find(policy.name);
        if (network == nullptr || policy.init.empty()) {
            continue;
        }
        if (Status read = read_weights(*network, learner.real, policy.init); !read) {
            Problem problem = std::move(read).error();
            problem.place = place_of(wiring.manifest, "policy." + policy.name + ".init");
            return problem;
        }
    }
    return learner;
}

}  // namespace tenon
