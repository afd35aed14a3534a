// SPDX-License-Identifier: Apache-2.0
#include "train/plan/groups.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "compute/graph/builder.hpp"
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

// Checks that the env has the group of a table. `told` has the problem of each unknown group: further tables of the
// group add their places to it. If the env has no groups, all tables share one problem.
bool check_group(const Wiring& w, const std::string& table, const graph::Unit& unit,
                 std::map<std::string, std::size_t>& told, Problems& problems) {
    if (unit.group.empty() || find_group(w, unit.group) != nullptr) {
        return true;
    }
    const Place place = place_of(w.manifest, table + ".group");
    const auto [known_as, is_new] = told.emplace(w.groups.empty() ? "" : unit.group, problems.size());
    if (!is_new) {
        problems[known_as->second].also.push_back(place);
        return false;
    }
    const auto known = mapped<std::string_view>(w.groups, &graph::Group::name);
    problems.push_back(input_problem("[" + table + "] is for the group '" + unit.group + "', but " + groups_of_env(w) +
                                         did_you_mean(unit.group, known),
                                     place));
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
    return !policy.component.group.empty() || refuse("but it is not for a group of agents: set its group");
}

// Checks that an objective's networks are of its own group, because values of two groups do not pair. Networks that it
// calls by their own names are checked where it calls them.
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

// Repeats a sampler's line for a column, such as next.rewards for next.reward, for the column of that name of each
// group. Removes the original line if only groups have the column.
void gather_groups(const Wiring& w, std::vector<GatherLine>& lines) {
    std::vector<GatherLine> out;
    for (const GatherLine& line : lines) {
        const std::string stored(without_next(line.source));
        std::vector<GatherLine> of_groups;
        for (const graph::Group& group : w.groups) {
            if (line.names_column() && w.env_specs.find(join_keys(group.name, stored)) != nullptr) {
                GatherLine& own = of_groups.emplace_back(line);
                own.source = graph::key_in_group(group.name, line.source);
                own.target = graph::key_in_group(group.name, line.target);
            }
        }
        if (of_groups.empty() || w.env_specs.find(stored) != nullptr) {
            out.push_back(line);
        }
        std::ranges::move(of_groups, std::back_inserter(out));
    }
    lines = std::move(out);
}

}  // namespace

bool wire_groups(Wiring& w, Problems& problems) {
    for (const std::string_view name : w.env_specs.groups()) {
        w.groups.push_back({std::string(name), w.env_specs.agents(name)});
    }
    for (BufferPlan& buffer : w.buffers) {
        gather_groups(w, buffer.sampling.lines);
    }
    bool all = true;
    std::map<std::string, std::size_t> told;
    for (const PolicyTable& policy : w.manifest.policies) {
        all = check_weights(w, policy, problems) && all;
    }
    for (const graph::Unit& network : w.networks) {
        all = check_group(w, "policy." + network.role, network, told, problems) && all;
        NetworkLayout* const layout = w.layouts.find(network.role);
        if (const graph::Group* group = find_group(w, network.group); group != nullptr && network.own) {
            layout->members = group->agents * network.members;
            layout->each = network.members > 1 ? group->agents : 1;
            layout->ensemble = true;
        }
    }
    for (std::size_t i = 0; i < w.objectives.size(); ++i) {
        ObjectivePlan& plan = w.objectives[i];
        all = check_group(w, plan.unit.role, plan.unit, told, problems) && all;
        all = check_networks(w, plan, w.manifest.objectives[i].component.path, problems) && all;
        plan.unit.own = !plan.unit.group.empty();  // each agent has its own states
    }
    return wire_explorations(w, problems) && all;
}

}  // namespace tenon
