// SPDX-License-Identifier: Apache-2.0
#include "train/plan/acting_units.hpp"

#include <algorithm>

#include "base/data/key.hpp"
#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "train/plan/units.hpp"

namespace tenon {
namespace {

bool takes_actions_of(const Wiring& w, std::string_view group) {
    return std::ranges::any_of(w.env_specs.specs,
                               [&](const Spec& spec) { return spec.role == Role::kAction && spec.group == group; });
}

std::vector<const graph::Unit*> networks_that_act(const Wiring& w) {
    std::vector<const graph::Unit*> out;
    if (w.procedure != nullptr && w.procedure->loaded->offers("tenon.planner/1")) {
        return out;  // what networks would do is for it to know
    }
    for (const graph::Unit& network : w.networks) {
        const auto is_same = [&](const graph::Unit* other) { return other->group == network.group; };
        if (acts_with_action(network) && std::ranges::none_of(out, is_same) &&
            (out.empty() || takes_actions_of(w, network.group))) {
            out.push_back(&network);
        }
    }
    return out;
}

std::string table_of(const graph::Unit& network) {
    return "[policy." + network.role + "]";
}

// Why the exploration belongs to no acting network, or to several; empty if it belongs to one.
std::string fault_of(const ExplorationTable& table, const std::vector<const graph::Unit*>& acting) {
    const std::string name = "[" + table.component.path + "]";
    const std::string all = listed(acting, [](const graph::Unit* unit) { return table_of(*unit); });
    if (table.group.empty()) {
        return acting.size() < 2 ? ""
                                 : name + " is for one acting policy, but " + all + " act: write [exploration." +
                                       acting.front()->group + "] for the first one";
    }
    const auto is_its = [&](const graph::Unit* unit) { return unit->group == table.group; };
    const auto groups = mapped<std::string_view>(acting, &graph::Unit::group);
    return std::ranges::any_of(acting, is_its)
               ? ""
               : name + " is for the group '" + table.group + "', for which no policy acts (acting: " + all + ")" +
                     did_you_mean(table.group, groups);
}

}  // namespace

std::vector<ActingUnit> acting_units(const Wiring& w) {
    std::vector<ActingUnit> out;
    for (const graph::Unit* const unit : networks_that_act(w)) {
        const auto explores = std::ranges::find(w.explorations, unit->group, &graph::Unit::group);
        out.push_back({unit, explores == w.explorations.end() ? nullptr : &*explores});
    }
    return out;
}

const ActingUnit& acting_for(const std::vector<ActingUnit>& acting, std::string_view key) {
    const auto has = [&](const ActingUnit& one) {
        return !one.policy->group.empty() && within(key, one.policy->group);
    };
    const auto found = std::ranges::find_if(acting, has);
    return found == acting.end() ? acting.front() : *found;
}

bool wire_explorations(Wiring& w, Problems& problems) {
    const std::vector<const graph::Unit*> acting = networks_that_act(w);
    for (std::size_t i = 0; i < w.explorations.size() && !acting.empty(); ++i) {
        const ExplorationTable& table = w.manifest.explorations[i];
        if (const std::string fault = fault_of(table, acting); !fault.empty()) {
            problems.push_back(input_problem(fault, table.component.place));
            return false;
        }
        w.explorations[i].group = table.group.empty() ? acting.front()->group : table.group;
        w.explorations[i].own = !w.explorations[i].group.empty();
    }
    return true;
}

}  // namespace tenon
