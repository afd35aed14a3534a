// SPDX-License-Identifier: Apache-2.0
#include "train/plan/stages.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/error/listed.hpp"
#include "compute/graph/dependence.hpp"
#include "compute/graph/text.hpp"
#include "train/plan/plans.hpp"

namespace tenon {
namespace {

using graph::Graph;

bool is_frozen(const Manifest& manifest, std::string_view role) {
    const auto policy = std::ranges::find(manifest.policies, role, &PolicyTable::name);
    return policy != manifest.policies.end() && policy->freeze;
}

// The objective of that name; without a name the only one.
const ObjectiveTable* table_of(const Manifest& manifest, std::string_view name) {
    const auto found = std::ranges::find_if(manifest.objectives, [&](const ObjectiveTable& table) {
        return name.empty() || table.name == std::string(name);
    });
    return found == manifest.objectives.end() ? nullptr : &*found;
}

// A problem at the stage's line in the plugin, with the manifest's objective as a second place.
Problem problem_of(Fault fault, const Graph& graph, const graph::Stage& stage, const ObjectiveTable* objective,
                   const std::string& sentence) {
    Problem out = input_problem("the stage '" + stage.name + "' " + sentence, graph::place_of(graph, stage.source));
    out.fault = fault;
    if (objective != nullptr) {
        const ComponentRef& ref = objective->component.ref;
        out.sentence = ref.plugin + ", update: " + out.sentence;
        out.also.push_back(ref.place);
    }
    return out;
}

bool owned_by_role(const Graph& graph, std::string_view role) {
    return std::ranges::any_of(graph.stages, [&](const graph::Stage& stage) {
        return stage.owns.empty() || std::ranges::find(stage.owns, role) != stage.owns.end();
    });
}

// The stage's networks: those that it names, those that the manifest assigns, or all that its losses depend on.
std::vector<std::string> owned_of(const graph::Stage& stage, const std::vector<std::string>& reached,
                                  const Manifest& manifest) {
    if (stage.owns.empty()) {
        return reached;
    }
    std::vector<std::string> out = stage.owns;
    for (const PolicyTable& policy : manifest.policies) {
        if (policy.stage == stage.name && std::ranges::find(out, policy.name) == out.end()) {
            out.push_back(policy.name);
        }
    }
    return out;
}

bool has_loss(const Graph& graph, std::uint32_t stage) {
    return std::ranges::find(graph.losses, stage, &graph::Loss::stage) != graph.losses.end();
}

// The optimiser state of a network exists once, whichever stage steps it.
void check_sharing(const Graph& graph, std::uint32_t stage, const StagePlan& plan, const std::vector<StagePlan>& before,
                   const Layouts& layouts, const ObjectiveTable* objective, const Manifest& manifest,
                   Problems& problems) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        for (const std::uint32_t network : plan.owned) {
            if (std::ranges::find(before[i].owned, network) != before[i].owned.end() &&
                before[i].optimiser.rule != plan.optimiser.rule) {
                problems.push_back(problem_of(Fault::kInput, graph, graph.stages[stage], objective,
                                              "has its own optimiser but shares the network '" +
                                                  layouts.networks[network].role + "' with the stage '" +
                                                  graph.stages[i].name + "'; give both the same optimiser"));
                problems.back().also.push_back(place_of(manifest, "optimiser." + graph.stages[stage].name));
            }
        }
    }
}

// A network that losses depend on but no stage trains would keep its random values, which is surely a mistake.
void check_trained(std::span<const PlannedStages> objectives, const Layouts& layouts, const Manifest& manifest,
                   Problems& problems) {
    for (const PolicyTable& policy : manifest.policies) {
        const Place place = place_of(manifest, "policy." + policy.name + ".stage");
        std::string names;
        bool known = false;
        bool owned = false;
        bool trained = policy.freeze;
        for (const PlannedStages& one : objectives) {
            names += (names.empty() ? "" : ", ") + listed(one.graph->stages, &graph::Stage::name);
            known = known ||
                    std::ranges::find(one.graph->stages, policy.stage, &graph::Stage::name) != one.graph->stages.end();
            owned = owned || owned_by_role(*one.graph, policy.name);
            for (const StagePlan& plan : *one.plans) {
                trained = trained || std::ranges::any_of(plan.owned, [&](std::uint32_t network) {
                              return layouts.networks[network].role == policy.name;
                          });
            }
        }
        if (!policy.stage.empty() && (!known || owned)) {
            problems.push_back(
                input_problem("policy." + policy.name + ".stage is \"" + policy.stage + "\", " +
                                  (known ? "but the objective chooses its stage itself; remove stage"
                                         : "but the objective has no stage of that name (it has: " + names + ")"),
                              place));
            continue;
        }
        for (const PlannedStages& one : objectives) {
            for (std::uint32_t i = 0; i < one.graph->stages.size() && !trained; ++i) {
                const std::vector<std::string> reached = networks_of(*one.graph, i, layouts);
                if (std::ranges::find(reached, policy.name) != reached.end()) {
                    problems.push_back(input_problem(
                        "no stage of the objective trains [policy." + policy.name + "], which the stage '" +
                            one.graph->stages[i].name + "' reads; set policy." + policy.name +
                            ".stage to one (the objective has: " + names + "), or freeze it",
                        place));
                    trained = true;
                }
            }
        }
    }
}

// The optimiser state of a network exists once, whichever objective steps it.
void check_shared(std::span<const PlannedStages> objectives, const Layouts& layouts, const Manifest& manifest,
                  Problems& problems) {
    std::map<std::uint32_t, std::pair<const PlannedStages*, const StagePlan*>> first;
    for (const PlannedStages& one : objectives) {
        for (const StagePlan& plan : *one.plans) {
            for (const std::uint32_t network : plan.owned) {
                const auto [known, is_new] = first.emplace(network, std::pair(&one, &plan));
                const auto& [other, earlier] = known->second;
                if (!is_new && other != &one && earlier->optimiser.rule != plan.optimiser.rule) {
                    problems.push_back(input_problem("the objectives '" + other->name + "' and '" + one.name +
                                                         "' both train [policy." + layouts.networks[network].role +
                                                         "], but with different optimisers; give both the same",
                                                     place_of(manifest, "optimiser." + one.name)));
                    return;
                }
            }
        }
    }
}

void check_optimisers(std::span<const PlannedStages> objectives, const Manifest& manifest, Problems& problems) {
    std::vector<std::string> names;
    for (const PlannedStages& one : objectives) {
        if (!one.name.empty()) {
            names.push_back(one.name);
        }
        for (const graph::Stage& stage : one.graph->stages) {
            names.push_back(one.name.empty() ? stage.name : one.name + "." + stage.name);
        }
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string list = listed(known);
    for (const OptimiserStage& own : manifest.optimiser_stages) {
        if (std::ranges::find(names, own.name) == names.end()) {
            problems.push_back(
                input_problem("optimiser." + own.name + ": " +
                                  (objectives.size() == 1 ? "the objective has no stage of that name"
                                                          : "there is no objective and no stage of that name") +
                                  did_you_mean(own.name, known) + " (" +
                                  (objectives.size() == 1 ? "it has" : "there are") + ": " + list + ")",
                              place_of(manifest, "optimiser." + own.name)));
        }
    }
}

}  // namespace

std::vector<std::string> networks_of(const Graph& graph, std::uint32_t stage, const Layouts& layouts) {
    std::vector<graph::ValueId> losses;
    for (const graph::Loss& loss : graph.losses) {
        if (loss.stage == stage) {
            losses.push_back(loss.value);
        }
    }
    const std::vector<bool> paths = graph::gradient_paths(graph, losses);
    std::vector<std::string> out;
    for (const NetworkLayout& layout : layouts.networks) {
        for (std::size_t i = 1; i < graph.nodes.size(); ++i) {
            const graph::Node& node = graph.nodes[i];
            if (node.is(graph::OpId::kParameter_1) && paths[node.first_output] &&
                graph::string_attribute(node, "role") == layout.role &&
                graph::string_attribute(node, "slab") == "live") {
                out.push_back(layout.role);
                break;
            }
        }
    }
    return out;
}

std::vector<StagePlan> plan_stages(const Graph& graph, std::string_view name, const Layouts& layouts,
                                   const Manifest& manifest, LivePlan& live, Problems& problems) {
    const ObjectiveTable* const objective = table_of(manifest, name);
    std::vector<StagePlan> plans;
    for (std::uint32_t i = 0; i < graph.stages.size(); ++i) {
        const graph::Stage& stage = graph.stages[i];
        StagePlan plan{.owned = {},
                       .optimiser = add_optimiser(live, manifest, name, stage.name),
                       .targets = {},
                       .every = stage.every};
        const std::vector<std::string> reached = networks_of(graph, i, layouts);
        const std::size_t before = problems.size();
        bool learns = false;
        for (const std::string& role : owned_of(stage, reached, manifest)) {
            const auto found = std::ranges::find(layouts.networks, role, &NetworkLayout::role);
            if (found == layouts.networks.end()) {
                problems.push_back(problem_of(Fault::kInput, graph, stage, objective,
                                              "owns the network '" + role +
                                                  "', which has no parameters in this run (networks with parameters: " +
                                                  listed(layouts.networks, &NetworkLayout::role) + ")"));
            } else if (!is_frozen(manifest, role)) {
                plan.owned.push_back(static_cast<std::uint32_t>(found - layouts.networks.begin()));
                plan.targets.push_back(add_target(live, manifest));
                plan.references.push_back(reference_every(manifest, role));
                learns = learns || std::find(reached.begin(), reached.end(), role) != reached.end();
            }
        }
        if (!has_loss(graph, i)) {
            problems.push_back(problem_of(Fault::kPlugin, graph, stage, objective, "has no loss"));
        } else if (!learns && problems.size() == before) {
            problems.push_back(
                problem_of(Fault::kPlugin, graph, stage, objective,
                           "has nothing to learn: its losses depend on no parameter of a network that it owns"));
            for (const std::string& role : reached) {
                if (is_frozen(manifest, role)) {
                    problems.back().fault = Fault::kInput;
                    problems.back().sentence += "; [policy." + role + "] is frozen";
                    problems.back().also.push_back(place_of(manifest, "policy." + role + ".freeze"));
                }
            }
        }
        check_sharing(graph, i, plan, plans, layouts, objective, manifest, problems);
        plans.push_back(std::move(plan));
    }
    return plans;
}

void check_stages(std::span<const PlannedStages> objectives, const Layouts& layouts, const Manifest& manifest,
                  Problems& problems) {
    const std::size_t before = problems.size();
    check_shared(objectives, layouts, manifest, problems);
    check_trained(objectives, layouts, manifest, problems);
    if (problems.size() == before) {
        check_optimisers(objectives, manifest, problems);
    }
}

}  // namespace tenon
