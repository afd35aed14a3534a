// SPDX-License-Identifier: Apache-2.0
// Acts by another policy, and writes next to each action what a model predicts for it. The wrapper wrap/imagined makes
// an env of these predictions, so a run can step a learnt model in place of the env.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/build.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/heads/action.hpp"
#include "tenon/members.hpp"
#include "tenon/options.hpp"

namespace model {

using tenon::Graph;
using tenon::Value;

struct Dream {
    std::vector<std::string> in;
    std::string policy, model, step, reward, continues, decode;
    bool arrives = false, symlog = false;

    [[nodiscard]] std::array<Value, 5> sample(const Graph& g) const {
        const Value state = begun(g);
        const tenon::Draw drawn = acting(g, state).sample();
        const Told told = after(g, state, drawn.action);
        return {drawn.action, drawn.log_prob, told.state, told.reward, told.goes_on};
    }
    [[nodiscard]] std::array<Value, 4> mode(const Graph& g) const {
        const Value state = begun(g), action = acting(g, state).mode();
        const Told told = after(g, state, action);
        return {action, told.state, told.reward, told.goes_on};
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Dream::in>("in", {"observation"}, "", "the state that the model steps: columns, concatenated"),
        tenon::option<&Dream::policy>("policy", "actor", "", "role of the network that acts"),
        tenon::option<&Dream::model>("model", "model", "", "role of the network that is the model"),
        tenon::option<&Dream::step>("step", "step", "", "function of the model: state action -> the next state"),
        tenon::option<&Dream::reward>("reward", "reward", "", "function of the model: state action -> the reward"),
        tenon::option<&Dream::continues>("continues", "", "",
                                         "function of the model: state action -> the logit of the probability that the "
                                         "episode goes on; empty: it always does"),
        tenon::option<&Dream::arrives>("arrives", false, "",
                                       "rewards and ends are functions of the next state alone, as of world/rssm3"),
        tenon::option<&Dream::decode>("decode", "", "",
                                      "function of the model: state -> what the env would show; then the state is a "
                                      "latent one, which is remembered through the episode; empty: states are shown"),
        tenon::option<&Dream::symlog>("symlog", false, "", "what is decoded is the symlog of what the env shows")};
    static constexpr auto functions = std::tuple{
        tenon::function<&Dream::sample>("sample", "",
                                        "action log_prob imagined.state imagined.reward imagined.continues"),
        tenon::function<&Dream::mode>("mode", "", "action imagined.state imagined.reward imagined.continues")};

private:
    struct Told {
        Value state, reward, goes_on;
    };

    // A latent state is that of what the env shows where an episode begins, and then what the model has made of it.
    [[nodiscard]] Value begun(const Graph& g) const {
        std::vector<Value> columns;
        for (const std::string& key : in) {
            columns.push_back(g.batch()[key.c_str()]);
        }
        const Value seen = tenon::join(columns);
        if (decode.empty() || seen.id == 0) {
            return seen;
        }
        if (in.size() != 1) {
            throw tenon::InvalidArgument("a latent state is one column, which the policy reads, so 'in' must be one");
        }
        const Value before = g.memory("state", {tenon::last_size(seen)});
        return where(unsqueeze(g.batch()["is_init"]), seen, before);
    }

    [[nodiscard]] tenon::Bound acting(const Graph& g, Value state) const {
        const tenon::Bound bound = g.network(policy.c_str())(g.batch());
        return decode.empty() ? bound : bound.with(in.front().c_str(), state);
    }

    [[nodiscard]] Told after(const Graph& g, Value state, Value action) const {
        const tenon::Bound now = g.network(model.c_str())(g.batch());
        const Value next = mean_members(now.call<1>(step.c_str(), {state, action})[0]);
        const auto told = [&](const std::string& function) {
            return mean_members(arrives ? now.call<1>(function.c_str(), {next})[0]
                                        : now.call<1>(function.c_str(), {state, action})[0]);
        };
        Told out{next, told(reward), {}};
        out.goes_on = continues.empty() ? 0 * out.reward + 1.0 : sigmoid(told(continues));
        if (!decode.empty()) {
            g.remember("state", next);
            const Value shown = now.call<1>(decode.c_str(), {next})[0];
            out.state = symlog ? where(shown > 0, expm1(shown), -expm1(-shown)) : shown;
        }
        return out;
    }
};

}  // namespace model
