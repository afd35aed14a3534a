// SPDX-License-Identifier: Apache-2.0
// The same update in float32 and float64: rounding apart it has the same losses and moves parameters the same way.
#include <algorithm>
#include <cmath>

#include "plans.hpp"
#include "support/catch.hpp"

namespace dtype_test {

using namespace tenon;
using namespace tenon::test;

namespace {

// Parameters one after the other, the slab's gaps left out.
std::vector<double> parameters(const Network& network, DType real) {
    std::vector<double> out;
    for (const Parameter& parameter : network.layout.parameters) {
        for (std::size_t i = parameter.offset; i < parameter.offset + parameter.size; ++i) {
            out.push_back(real == DType::kF64 ? network.live.as<double>()[i]
                                              : static_cast<double>(network.live.as<float>()[i]));
        }
    }
    return out;
}

struct Trained {
    Outcome outcome;
    std::vector<std::vector<double>> networks;
};

Trained train(Plan plan, int updates) {
    plan.lr = 0.003;
    plan.target = {.kind = "soft", .tau = 0.1, .every = 1};
    const DType real = plan.real;
    Assembly assembly(std::move(plan));
    assembly.build();
    assembly.load();
    Trained out;
    for (int update = 0; update < updates; ++update) {
        // stored log-probs near those of a fresh policy over two actions: wild ratios would magnify rounding
        FilledBatch batch(assembly.columns(), {.rows = 16}, static_cast<std::uint64_t>(update));
        if (assembly.update.graph.losses.front().name == "policy") {
            batch.set("log_prob", std::vector<double>(16, -0.7));
        }
        out.outcome = assembly.run(
            batch, {.updates = static_cast<double>(update), .counter = static_cast<std::uint64_t>(update)});
    }
    for (const Network& network : assembly.learner.networks) {
        out.networks.push_back(parameters(network, real));
    }
    return out;
}

}  // namespace

TEST_CASE("float32 and float64 train alike") {
    for (const auto& plan : {dqn_plan, ppo_plan, sac_plan}) {
        const Trained narrow = train(plan(DType::kF32), 10);
        const Trained wide = train(plan(DType::kF64), 10);
        CAPTURE(plan(DType::kF32).objective);
        for (const auto& [name, loss] : wide.outcome.losses) {
            CAPTURE(name);
            CHECK(narrow.outcome.losses.at(name) == Catch::Approx(loss).epsilon(1e-4).margin(1e-4));
        }
        REQUIRE(narrow.networks.size() == wide.networks.size());
        double worst = 0;
        for (std::size_t n = 0; n < wide.networks.size(); ++n) {
            REQUIRE(narrow.networks[n].size() == wide.networks[n].size());
            for (std::size_t i = 0; i < wide.networks[n].size(); ++i) {
                worst = std::max(worst, std::abs(narrow.networks[n][i] - wide.networks[n][i]));
            }
        }
        CHECK(worst < 1e-3);  // of ten steps of at most 0.003
    }
}

TEST_CASE("training twice gives the same numbers to the last bit") {
    for (const auto& plan : {dqn_plan, ppo_plan, sac_plan}) {
        for (const DType real : {DType::kF32, DType::kF64}) {
            const Trained first = train(plan(real), 5);
            const Trained second = train(plan(real), 5);
            CHECK(first.networks == second.networks);
            CHECK(first.outcome.losses == second.outcome.losses);
        }
    }
}

}  // namespace dtype_test
