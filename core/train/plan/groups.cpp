// SPDX-License-Identifier: Apache-2.0
#include "train/plan/groups.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/listed.hpp"
#include "train/plan/acting_units.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

std::string groups_of_env(const Wiring& w) {
    const auto name = [](const graph::Group& group) { return "'" + group.name + "'"; };
    return w.groups.empty() ? "the environment has no groups of agents"
                            : "the groups of the environment are " + listed(w.groups, name);
}

const graph::Group* find_group(const Wiring& w, std::string_view name) {
    const auto found = std::ranges::find(w.groups, name, &graph::Group::name);
    return found == w.groups.end() ? nullptr : &*found;
}

bool check_group(const Wiring& w, const std::string& table, const graph::Unit& unit, Problems& problems) {
    if (unit.group.empty() || find_group(w, unit.group) != nullptr) {
        return true;
    }
    std::vector<std::string_view> known;
    for (const graph::Group& group : w.groups) {
        known.emplace_back(group.name);
    }
    problems.push_back(input_problem("[" + table + "] is for the group '" + unit.group + "', but " + groups_of_env(w) +
                                         did_you_mean(unit.group, known),
                                     place_of(w.manifest, table + ".group")));
    return false;
}

bool check_weights(const Wiring& w, const PolicyTable& policy, Problems& problems) {
    if (policy.weights != "own") {
        return true;
    }
    const auto refuse = [&](const std::string& why) {
        problems.push_back(input_problem("[policy." + policy.name + "] has weights of each agent's own, " + why,
                                         place_of(w.manifest, "policy." + policy.name + ".weights")));
        return false;
    };
    if (policy.component.group.empty()) {
        return refuse("but it is not for a group of agents: set its group");
    }
    return policy.count == 1 || refuse("and its count is " + std::to_string(policy.count) +
                                       "; an ensemble for each agent is not supported, so set count to 1");
}

// Values of two groups do not pair. Networks that an objective calls by their own names are checked where it calls
// them.
bool check_networks(const Wiring& w, const ObjectivePlan& plan, const std::string& table, Problems& problems) {
    const auto network_of = [&](const graph::RoleOf& each) {
        return std::ranges::find(w.networks, each.network, &graph::Unit::role);
    };
    std::string group = plan.unit.group;
    std::string whose = "[objective" + (plan.name.empty() ? "" : " " + plan.name) + "]";
    Place also = plan.unit.place;
    for (const graph::RoleOf& each : plan.unit.networks) {
        const auto network = network_of(each);
        if (network == w.networks.end() || network->group.empty() || network->group == group) {
            continue;
        }
        if (!group.empty()) {
            const std::string path = table + ".networks." + each.role;
            problems.push_back(input_problem(path + " is [policy." + network->role + "], which is of the group '" +
                                                 network->group + "', but " + whose + " is of the group '" + group +
                                                 "': an objective learns for one group",
                                             place_of(w.manifest, path)));
            problems.back().also = {network->place, also};
            return false;
        }
        group = network->group;
        whose = "[policy." + network->role + "]";
        also = network->place;
    }
    return true;
}

}  // namespace

bool wire_groups(Wiring& w, Problems& problems) {
    for (const std::string_view name : w.env_specs.groups()) {
        w.groups.push_back({std::string(name), w.env_specs.agents(name)});
    }
    bool all = true;
    for (const PolicyTable& policy : w.manifest.policies) {
        all = check_weights(w, policy, problems) && all;
    }
    for (const graph::Unit& network : w.networks) {
        all = check_group(w, "policy." + network.role, network, problems) && all;
        NetworkLayout* const layout = w.layouts.find(network.role);
        if (const graph::Group* group = find_group(w, network.group); group != nullptr && network.own) {
            layout->members = group->agents;
            layout->ensemble = true;
        }
    }
    for (std::size_t i = 0; i < w.objectives.size(); ++i) {
        ObjectivePlan& plan = w.objectives[i];
        all = check_group(w, plan.unit.role, plan.unit, problems) && all;
        all = check_networks(w, plan, w.manifest.objectives[i].component.path, problems) && all;
        plan.unit.own = !plan.unit.group.empty();  // each agent has its own states
    }
    return wire_explorations(w, problems) && all;
}

}  // namespace tenon
