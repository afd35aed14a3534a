// SPDX-License-Identifier: Apache-2.0
// The networks of TD-MPC2: a model of latent states, the values of actions in them, and a policy from which planning
// begins.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "layers.hpp"
#include "tenon/actor.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/heads/suited.hpp"
#include "tenon/heads/tanh_normal.hpp"
#include "tenon/options.hpp"

namespace tdmpc {

inline Value read(const Graph& g, const std::vector<std::string>& in) {
    std::vector<Value> columns;
    for (const std::string& key : in) {
        columns.push_back(g.batch()[key.c_str()]);
    }
    return tenon::join(columns);
}

struct World {
    std::int64_t latent = 128;
    std::int64_t simplex = 8;
    std::int64_t hidden = 128;
    std::int64_t bins = 101;
    std::vector<std::string> in;

    // The latent state of an observation.
    [[nodiscard]] Value features(const Graph& g) const {
        simplices().check();
        return simplices().out(g, "encoder.out", hidden_layers(g, "encoder", read(g, in), hidden));
    }
    [[nodiscard]] Value step(const Graph& g, Value state, Value action) const {
        return simplices().out(g, "step.out", hidden_layers(g, "step", concat(state, seen(g, action)), hidden));
    }
    [[nodiscard]] Value reward(const Graph& g, Value state, Value action) const {
        return Bins{bins}.decoded(reward_logits(g, state, action));
    }
    [[nodiscard]] Value reward_error(const Graph& g, Value state, Value action, Value reward) const {
        return Bins{bins}.error(reward_logits(g, state, action), reward);
    }

    static constexpr auto options =
        std::tuple{tenon::option<&World::latent>("latent", 128, "[1,1000000]", "size of a latent state"),
                   tenon::option<&World::simplex>("simplex", 8, "[2,1000000]", "how many of its numbers sum up to 1"),
                   tenon::option<&World::hidden>("hidden", 128, "[1,1000000]", "size of each hidden layer"),
                   tenon::option<&World::bins>("bins", 101, "[2,10001]", "numbers among which a reward is shared"),
                   tenon::option<&World::in>("in", {"observation"}, "", "the columns that it reads, concatenated")};
    static constexpr auto functions =
        std::tuple{tenon::function<&World::features>("features", "", "features"),
                   tenon::function<&World::step>("step", "state action", "state"),
                   tenon::function<&World::reward>("reward", "state action", "reward"),
                   tenon::function<&World::reward_error>("reward_error", "state action reward", "error")};

private:
    [[nodiscard]] Simplices simplices() const { return {latent, simplex}; }
    [[nodiscard]] Value reward_logits(const Graph& g, Value state, Value action) const {
        return plain(g, "reward.out", hidden_layers(g, "reward", concat(state, seen(g, action)), hidden), bins, 0);
    }
};

struct Q {
    std::int64_t hidden = 128;
    std::int64_t bins = 101;
    double dropout = 0.01;
    std::vector<std::string> in;

    [[nodiscard]] Value q(const Graph& g, Value action) const { return Bins{bins}.decoded(logits(g, action)); }
    [[nodiscard]] Value error(const Graph& g, Value action, Value number) const {
        return Bins{bins}.error(logits(g, action), number);
    }

    static constexpr auto options =
        std::tuple{tenon::option<&Q::hidden>("hidden", 128, "[1,1000000]", "size of each hidden layer"),
                   tenon::option<&Q::bins>("bins", 101, "[2,10001]", "numbers among which a value is shared"),
                   tenon::option<&Q::dropout>("dropout", 0.01, "[0,1)", "dropout rate of the first layer in updates"),
                   tenon::option<&Q::in>("in", {"world.features"}, "", "the columns that it reads, concatenated")};
    static constexpr auto functions = std::tuple{tenon::function<&Q::q>("q", "action", "q"),
                                                 tenon::function<&Q::error>("error", "action return", "error")};

private:
    [[nodiscard]] Value logits(const Graph& g, Value action) const {
        const Value x = concat(read(g, in), seen(g, action));
        return plain(g, "out", hidden_layers(g, "body", x, hidden, dropout), bins, 0);
    }
};

struct Actor {
    std::int64_t hidden = 128;
    std::vector<std::string> in;

    [[nodiscard]] tenon::TanhNormal head(const Graph& g) const {
        const tn_spec* const action = g.spec("action");
        if (action == nullptr) {
            return {};
        }
        if (!tenon::has_finite_bounds(*action) || action->rank != 1) {
            throw tenon::InvalidArgument(std::string("it draws rows of bounded numbers; this is ") +
                                         tenon::suited(*action).kind);
        }
        const std::int64_t n = action->shape[0];
        const Value both = plain(g, "out", hidden_layers(g, "body", read(g, in), hidden), 2 * n);
        const Value log_scale = 6 * (tanh(slice(both, n, n)) + 1) - 10;  // from -10 to 2
        return {slice(both, 0, n), exp(log_scale), tenon::bounds_of(*action)};
    }

    static constexpr auto options =
        std::tuple{tenon::option<&Actor::hidden>("hidden", 128, "[1,1000000]", "size of each hidden layer"),
                   tenon::option<&Actor::in>("in", {"world.features"}, "", "the columns that it reads, concatenated")};
};

}  // namespace tdmpc
