// SPDX-License-Identifier: Apache-2.0
// Models for planners: what a step leads to and what it is worth, by equations or learnt.
#include <array>
#include <tuple>

#include "dream.hpp"
#include "ensemble.hpp"
#include "pendulum.hpp"
#include "tenon/members.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

namespace {

using tenon::Graph;
using tenon::Value;

constexpr const char* kBootstrap = "bootstrap";

// Each member learns from the frames that were drawn for it when they came into the buffer.
struct Fit {
    double share = 0.8;

    void store(const Graph& g) const {
        const Value error = g.network("model")(g.batch()).call<2>("error", {})[0];
        const Value each = tenon::members(error, "model");
        g.write(kBootstrap, where(random_uniform(each, "bootstrap") < share, 1.0, 0.0));
    }

    void update(const Graph& g) const {
        const auto [error, squared] = g.network("model")(g.batch()).call<2>("error", {});
        const Value drawn = g.batch()[kBootstrap];
        const bool several = tenon::sizes_of(tenon::members(error, "model")).back() > 1;
        const Value counts = several ? uncollect(drawn, error, "model") : squeeze(drawn);
        g.rows("likelihood", sum_members(error * counts));
        g.metric("squared_error", batch_mean(mean_members(squared)));
    }

    static constexpr auto options = std::tuple{tenon::option<&Fit::share>(
        "share", 0.8, "(0,1]", "share of the frames, drawn for each member, that a member learns from")};
};

}  // namespace

TENON_PLUGIN("model", "0.1.0", tenon::objective<Fit>("fit", "the likelihood of steps, for a model that learns"),
             tenon::policy_graph<model::Dream>("dream", "acts by a policy, and says what a model makes of each action"),
             tenon::policy_graph<model::Ensemble>("ensemble", "normal distributions of what a step does, learnt"),
             tenon::policy_graph<model::Pendulum>("pendulum", "the equations of Pendulum-v1"));
