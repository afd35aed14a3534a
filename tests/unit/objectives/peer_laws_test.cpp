// SPDX-License-Identifier: Apache-2.0
// What must hold for every objective, on the cases of tests/golden/objectives.
#include <algorithm>
#include <cmath>
#include <set>

#include "peer_rig.hpp"
#include "support/catch.hpp"

namespace peer_laws_test {

using namespace tenon;
using namespace tenon::test;

namespace {

std::vector<PeerCase> all_updates() {
    std::vector<PeerCase> out;
    for (const std::string& file : peer_files()) {
        for (PeerCase& golden : read_peer_cases(file)) {
            if (golden.function == "update") {
                out.push_back(std::move(golden));
            }
        }
    }
    // The same loss by a kernel of its own, which fused_test.cpp holds to it.
    PeerCase fused = *std::ranges::find(out, "ppo/ppo", [](const PeerCase& each) { return each.plan.objective; });
    fused.plan.objective = "ppo_fused/ppo";
    out.push_back(std::move(fused));
    return out;
}

// Row i comes from row (3 i + 2) mod rows; `outer` blocks of rows of `width` elements.
std::vector<double> permuted(const std::vector<double>& values, std::size_t outer, std::size_t rows) {
    REQUIRE(rows % 3 != 0);
    std::vector<double> out(values.size());
    const std::size_t width = values.size() / (outer * rows);
    for (std::size_t block = 0; block < outer; ++block) {
        for (std::size_t row = 0; row < rows; ++row) {
            const std::size_t from = (block * rows + (3 * row + 2) % rows) * width;
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), width,
                        out.begin() + static_cast<std::ptrdiff_t>((block * rows + row) * width));
        }
    }
    return out;
}

// What stands before the rows in the draws of this stream (members, several draws a row); 0 where they have no rows.
std::size_t blocks_of(const Assembly& assembly, const PeerTensor& draw, std::size_t rows) {
    const graph::Graph& graph = assembly.update.graph;
    for (const graph::Node& node : graph.nodes) {
        const graph::AttributeValue* stream = graph::find_attribute(node, "stream");
        if (stream == nullptr || std::get<std::string>(*stream) != draw.name ||
            !graph.type(node.first_output).has(graph::kRows)) {
            continue;
        }
        std::size_t row = rows;
        for (const graph::Dim size : graph.type(node.first_output).sizes()) {
            row *= static_cast<std::size_t>(size);
        }
        return draw.values.size() / row;
    }
    return 0;
}

struct Ran {
    Outcome outcome;
    std::vector<PeerTensor> gradients;
};

Ran run(const PeerCase& golden, bool permute) {
    Assembly assembly(plan_in(golden, DType::kF64));
    assembly.build();
    const auto rows = static_cast<std::size_t>(golden.sizes.rows);
    PeerCase fed = golden;
    for (PeerTensor& draw : fed.draws) {
        const std::size_t blocks = blocks_of(assembly, draw, rows);
        draw.values = permute && blocks > 0 ? permuted(draw.values, blocks, rows) : draw.values;
    }
    for (PeerTensor& column : fed.batch) {
        column.values = permute ? permuted(column.values, 1, rows) : column.values;
    }
    feed(assembly, fed);
    assembly.load();
    set_parameters(assembly, fed, DType::kF64);
    Ran out;
    out.outcome = assembly.run(batch_of(assembly, fed), {.updates = fed.updates});
    out.gradients = gradients(assembly, out.outcome, DType::kF64);
    return out;
}

double largest_of(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) {
        largest = std::max(largest, std::abs(value));
    }
    return largest;
}

void check_close(const std::vector<double>& have, const std::vector<double>& wanted) {
    REQUIRE(have.size() == wanted.size());
    const double scale = std::max(1.0, largest_of(wanted));
    for (std::size_t i = 0; i < have.size(); ++i) {
        CHECK(std::abs(have[i] - wanted[i]) <= 1e-12 * scale);
    }
}

constexpr std::int64_t kNever = 1000;

}  // namespace

TEST_CASE("every objective there is has a case, so that these laws are looked at for each") {
    std::set<std::string> with_case;
    for (const PeerCase& golden : all_updates()) {
        with_case.insert(golden.plan.objective);
    }
    with_case.insert("dreamer/dreamer");  // its rows are sequences: dreamer_test.cpp
    with_case.insert("dreamer/v3");
    with_case.insert("tdmpc2/tdmpc2");          // TorchRL has none: tdmpc2_test.cpp
    with_case.insert("awr/awr");                // TorchRL has none: imitation_test.cpp
    with_case.insert("gail/discriminator");     // it reads two batches: imitation_test.cpp
    with_case.insert("trpo/trpo");              // its actor learns in conclude: trpo_test.cpp
    with_case.insert("qmix/qmix");              // its rows are of several agents: e2e/groups_test.py
    with_case.insert("qmix/kinds");             // the same of several groups: e2e/several_groups_test.py
    with_case.insert("language/reward_model");  // TorchRL has none: e2e/language_test.py
    CHECK(with_case == shipped("objective"));
}

TEST_CASE("the order of a batch's rows changes nothing but the order of what comes out for each") {
    for (const PeerCase& golden : all_updates()) {
        CAPTURE(golden.plan.objective, golden.name);
        const Ran plain = run(golden, false);
        const Ran other = run(golden, true);
        for (const auto& [name, loss] : plain.outcome.losses) {
            CAPTURE(name);
            CHECK((std::isnan(loss) ? std::isnan(other.outcome.losses.at(name))
                                    : std::abs(loss - other.outcome.losses.at(name)) <= 1e-12 * (1 + std::abs(loss))));
        }
        REQUIRE(plain.gradients.size() == other.gradients.size());
        for (std::size_t i = 0; i < plain.gradients.size(); ++i) {
            CAPTURE(plain.gradients[i].name);
            check_close(other.gradients[i].values, plain.gradients[i].values);
        }
        for (const auto& [name, values] : plain.outcome.columns) {
            CAPTURE(name);
            check_close(other.outcome.columns.at(name),
                        permuted(values, 1, static_cast<std::size_t>(golden.sizes.rows)));
        }
    }
}

TEST_CASE("a stage computes the same gradients without the others, and leaves none in what it does not own") {
    std::size_t stages = 0;
    for (const PeerCase& golden : all_updates()) {
        const Ran whole = run(golden, false);
        for (std::size_t alone = 0; alone < whole.outcome.norms.size() && whole.outcome.norms.size() > 1; ++alone) {
            if (std::isnan(whole.outcome.norms[alone])) {
                continue;  // not due in this case
            }
            PeerCase still = golden;  // what a stage reads after another must not have moved
            still.plan.lr = 0;
            Assembly assembly(plan_in(still, DType::kF64));
            assembly.build();
            feed(assembly, still);
            for (std::size_t stage = 0; stage < assembly.stages.size(); ++stage) {
                assembly.stages[stage].every = stage == alone ? 1 : kNever;
            }
            assembly.load();
            set_parameters(assembly, still, DType::kF64);
            for (Network& network : assembly.learner.networks) {
                std::fill_n(network.gradient.as<double>(), network.layout.trainable_size, 7.0);
            }
            const Outcome outcome = assembly.run(batch_of(assembly, still), {.updates = 1});
            CAPTURE(golden.plan.objective, golden.name, assembly.update.graph.stages[alone].name);
            for (const PeerTensor& tensor : gradients(assembly, outcome, DType::kF64)) {
                const auto same = std::ranges::find(whole.gradients, tensor.name, &PeerTensor::name);
                REQUIRE(same != whole.gradients.end());
                if (golden.plan.groups.empty()) {
                    CHECK(tensor.values == same->values);
                } else {  // libtorch sums over agents in another order where it computes fewer gradients
                    check_close(tensor.values, same->values);
                }
            }
            for (std::uint32_t n = 0; n < assembly.learner.networks.size(); ++n) {
                if (std::ranges::find(assembly.stages[alone].owned, n) == assembly.stages[alone].owned.end()) {
                    const Network& network = assembly.learner.networks[n];
                    const double* gradient = network.gradient.as<double>();
                    CHECK(std::all_of(gradient, gradient + network.layout.trainable_size,
                                      [](double x) { return x == 7.0; }));
                }
            }
            ++stages;
        }
    }
    CHECK(stages > 10);
}

}  // namespace peer_laws_test
