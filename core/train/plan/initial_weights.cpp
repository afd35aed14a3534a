// SPDX-License-Identifier: Apache-2.0
#include "train/plan/initial_weights.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "train/plan/weights.hpp"

namespace tenon {
namespace {

// Reads the file of policy.NAME.init into the network.
Status read_initial(Network& network, const PolicyTable& policy, const Wiring& wiring) {
    const std::string key = "policy." + policy.name + ".init";
    Status read = read_weights(network, wiring.real(), policy.init, policy.init_role);
    if (!read) {
        read.error().sentence = key + ": " + read.error().sentence;
    }
    return placed(std::move(read), place_of(wiring.manifest, key));
}

}  // namespace

Result<Learner> make_learner(const Wiring& wiring) {
    Learner learner{.real = wiring.real(), .networks = {}};
    for (const NetworkLayout& layout : wiring.layouts.networks) {
        Network network;
        network.layout = layout;
        const bool wants_target = wiring.layouts.reads(layout.role, ParameterSlab::kTarget);
        Status done = initialise(network, learner.real, wiring.seed(), wants_target);
        for (const ParameterSlab copy : {ParameterSlab::kReference, ParameterSlab::kPerturbed}) {
            if (done && wiring.layouts.reads(layout.role, copy)) {
                done = add_copy(network, copy);
            }
        }
        if (done && wiring.layouts.reads(layout.role, ParameterSlab::kBehaviour)) {
            done = add_behaviour(network, wiring.lag());
        }
        if (!done) {
            return std::move(done).error();
        }
        learner.networks.push_back(std::move(network));
    }
    for (const ObjectivePlan& plan : wiring.objectives) {
        for (const StagePlan& stage : plan.stages) {
            for (const std::uint32_t owned : stage.owned) {
                TENON_TRY(begin_optimiser(learner.networks[owned], learner.real, stage.optimiser));
            }
        }
    }
    for (const PolicyTable& policy : wiring.manifest.policies) {
        Network* network = learner.find(policy.name);
        if (network != nullptr && !policy.init.empty() && !wiring.restored) {
            TENON_TRY(read_initial(*network, policy, wiring));
        }
    }
    return learner;
}

void check_initial_weights(const Wiring& wiring, Problems& problems) {
    for (const PolicyTable& policy : wiring.manifest.policies) {
        const auto& layouts = wiring.layouts.networks;
        const auto layout = std::ranges::find(layouts, policy.name, &NetworkLayout::role);
        if (policy.init.empty() && !policy.init_role.empty()) {
            const std::string path = "policy." + policy.name + ".init_role";
            problems.push_back(input_problem(
                path + " is the name of a network in " + "policy." + policy.name + ".init, which is not given",
                place_of(wiring.manifest, path)));
        }
        if (policy.init.empty() || layout == layouts.end()) {
            continue;
        }
        Network network;  // only to check that the file fits
        network.layout = *layout;
        const Status made = initialise(network, wiring.real(), 0, false);
        is_done(made ? read_initial(network, policy, wiring) : made, problems);
    }
}

}  // namespace tenon
