// SPDX-License-Identifier: Apache-2.0
// Every objective serves a group of agents as it serves one: its losses and gradients are the means over what each
// agent gives by itself. On the cases of tests/golden/objectives, as they are and with other rows for a second agent.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "peer_rig.hpp"
#include "support/catch.hpp"

namespace group_laws_test {

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr std::size_t kAgents = 2;

// Whether a column has one value a row or lane, which all agents share.
bool of_row(std::string_view key) {
    constexpr std::string_view kKeys[] = {"mask", "weight", "state", "next.state"};
    return key.starts_with("next.t") || key.starts_with("expert.next.t") || key == "next.done" ||
           std::ranges::find(kKeys, key) != std::end(kKeys);
}

std::string key_in_group(const std::string& key) {
    for (const std::string prefix : {"expert.next.", "next.", "expert."}) {
        if (key.starts_with(prefix)) {
            return prefix + "agents." + key.substr(prefix.size());
        }
    }
    return "agents." + key;
}

std::vector<double> rotated(std::vector<double> values, std::size_t rows) {
    const std::size_t width = values.size() / rows;
    std::ranges::rotate(values, values.begin() + static_cast<std::ptrdiff_t>(width));
    return values;
}

// The numbers of both agents, where the first ones come in `blocks`.
std::vector<double> of_both(const std::vector<double>& first, const std::vector<double>& second, std::size_t blocks) {
    const std::size_t width = first.size() / blocks;
    std::vector<double> out;
    for (std::size_t block = 0; block < blocks; ++block) {
        for (const auto* one : {&first, &second}) {
            const auto from = one->begin() + static_cast<std::ptrdiff_t>(block * width);
            out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(width));
        }
    }
    return out;
}

// The second agent: observations of the next row, so that rows of either agent are no rows of the other.
PeerCase second_of(PeerCase golden) {
    for (PeerTensor& column : golden.batch) {
        if (column.name == "observation" || column.name == "next.reward" || column.name == "expert.observation") {
            column.values = rotated(column.values, static_cast<std::size_t>(golden.sizes.rows));
        }
    }
    return golden;
}

PeerCase grouped(const PeerCase& first, const PeerCase& second) {
    PeerCase out = first;
    out.plan.groups = {{"agents", kAgents}};
    out.plan.group = "agents";
    for (NetworkUse& network : out.plan.networks) {
        network.group = "agents";
    }
    for (graph::Column& column : out.plan.columns) {
        if (!of_row(column.spec.key)) {
            column.spec.key = key_in_group(column.spec.key);
            column.spec.group = "agents";
            column.spec.shape = join(Shape{kAgents}, column.spec.shape);
        }
    }
    for (std::size_t i = 0; i < out.batch.size(); ++i) {
        if (!of_row(out.batch[i].name)) {
            out.batch[i].name = key_in_group(out.batch[i].name);
            out.batch[i].values =
                of_both(first.batch[i].values, second.batch[i].values, static_cast<std::size_t>(first.sizes.rows));
        }
    }
    return out;
}

// How many blocks come before the agents' in the numbers of that type.
std::size_t blocks_before_agents(const graph::Graph& graph, const graph::Type& type, std::size_t elements) {
    std::size_t behind = 1;
    bool seen = false;
    for (const graph::Dim dim : type.dims) {
        if (seen && dim != graph::kRows) {
            behind *= static_cast<std::size_t>(dim > 0 ? dim : graph.symbols.size(dim));
        }
        seen = seen || graph::is_group(dim);
    }
    REQUIRE(seen);
    const std::size_t rows = type.has(graph::kRows) ? 7 : 1;
    return elements / (behind * rows);
}

// What each agent draws is what it draws by itself, and each has states of its own.
void share_out(const Assembly& assembly, PeerCase& both) {
    for (PeerTensor& draw : both.draws) {
        for (const graph::Node& node : assembly.update.graph.nodes) {
            const graph::AttributeValue* stream = graph::find_attribute(node, "stream");
            if (stream != nullptr && std::get<std::string>(*stream) == draw.name) {
                const graph::Type& type = assembly.update.graph.type(node.first_output);
                draw.values = of_both(draw.values, draw.values,
                                      blocks_before_agents(assembly.update.graph, type, draw.values.size()));
                break;
            }
        }
    }
    for (auto* tensors : {&both.live, &both.target, &both.reference}) {
        for (PeerTensor& tensor : *tensors) {
            if (tensor.name.starts_with("objective ")) {
                tensor.values = of_both(tensor.values, tensor.values, 1);
            }
        }
    }
}

struct Ran {
    Outcome outcome;
    std::vector<PeerTensor> gradients;
};

Ran run(PeerCase golden, bool compiled = false) {
    golden.plan.compiled = compiled;
    Assembly assembly(plan_in(golden, DType::kF64));
    assembly.build();
    if (!golden.plan.group.empty()) {
        share_out(assembly, golden);
    }
    feed(assembly, golden);
    assembly.load();
    set_parameters(assembly, golden, DType::kF64);
    Ran out;
    out.outcome = assembly.run(batch_of(assembly, golden), {.updates = golden.updates});
    out.gradients = gradients(assembly, out.outcome, DType::kF64);
    return out;
}

// A normalisation of a shared network takes its moments over the rows of all agents.
bool pools_agents(const PeerCase& golden) {
    return std::ranges::any_of(golden.plan.networks, [](const NetworkUse& network) {
        return std::ranges::any_of(network.options, [](const auto& option) {
            return option.first == "norm" && option.second == OptionValue(std::string("batch_renorm"));
        });
    });
}

double half_of(double a, double b) {
    return (a + b) / 2;
}

void check_close(double have, double wanted) {
    CHECK((std::isnan(wanted) ? std::isnan(have) : std::abs(have - wanted) <= 1e-12 * (1 + std::abs(wanted))));
}

void check_is_mean(const Ran& both, const Ran& first, const Ran& second) {
    REQUIRE(both.outcome.losses.size() == first.outcome.losses.size());
    for (const auto& [name, loss] : both.outcome.losses) {
        CAPTURE(name);
        check_close(loss, half_of(first.outcome.losses.at(name), second.outcome.losses.at(name)));
    }
    REQUIRE(both.gradients.size() == first.gradients.size());
    for (std::size_t i = 0; i < both.gradients.size(); ++i) {
        CAPTURE(both.gradients[i].name);
        const std::vector<double>& have = both.gradients[i].values;
        const std::vector<double>&a = first.gradients[i].values, &b = second.gradients[i].values;
        const bool by_agent = have.size() != a.size();  // those of a state, of which each agent has one
        REQUIRE(have.size() == a.size() * (by_agent ? kAgents : 1));
        for (std::size_t k = 0; k < have.size(); ++k) {
            check_close(have[k], !by_agent      ? half_of(a[k], b[k])
                                 : k < a.size() ? a[k] / kAgents
                                                : b[k - a.size()] / kAgents);
        }
    }
    const auto priority = both.outcome.columns.find("priority");
    for (std::size_t row = 0; priority != both.outcome.columns.end() && row < priority->second.size(); ++row) {
        check_close(priority->second[row],
                    half_of(first.outcome.columns.at("priority")[row], second.outcome.columns.at("priority")[row]));
    }
}

}  // namespace

TEST_CASE("in a group an objective gives the mean of what it gives for each agent") {
    std::set<std::string> seen;
    for (const std::string& file : peer_files()) {
        std::size_t of_file = 0;
        for (const PeerCase& golden : read_peer_cases(file)) {
            const bool several_steps = std::ranges::any_of(
                golden.batch, [](const PeerTensor& column) { return column.name == "next.rewards"; });
            const bool is_update = golden.function == "update" && golden.plan.groups.empty();
            const bool windows = golden.plan.objective.starts_with("decision");
            if (!is_update || several_steps || windows || pools_agents(golden) || ++of_file > 3) {
                continue;
            }
            CAPTURE(golden.plan.objective, golden.name);
            seen.insert(golden.plan.objective);
            const PeerCase second = second_of(golden);
            const Ran of_first = run(golden);
            const Ran of_second = run(second);
            for (const bool compiled : {false, true}) {
                CAPTURE(compiled);
                check_is_mean(run(grouped(golden, second), compiled), of_first, of_second);
            }
        }
    }
    seen.insert("qmix/qmix");        // it is for groups alone: e2e/groups_test.py
    seen.insert("qmix/kinds");       // of several groups: e2e/several_groups_test.py
    seen.insert("ppo_fused/ppo");    // fused_test.cpp compares it with ppo/ppo
    seen.insert("awr/awr");          // TorchRL has none
    seen.insert("dreamer/dreamer");  // its rows are sequences
    seen.insert("dreamer/v3");
    seen.insert("tdmpc2/tdmpc2");
    seen.insert("trpo/trpo");      // its actor learns in conclude
    seen.insert("language/grpo");  // its agents are answers that it compares: e2e/language_test.py
    seen.insert("language/expert_iteration");
    seen.insert("language/distillation");  // of a file, only the first cases are tried
    seen.insert("language/reward_model");
    for (const char* name : {"transformer", "online"}) {
        seen.insert(std::string("decision/") + name);  // its rows are windows
    }
    CHECK(seen == shipped("objective"));
}

}  // namespace group_laws_test
