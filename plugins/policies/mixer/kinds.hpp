// SPDX-License-Identifier: Apache-2.0
// The agents of several groups, which may have other observations and actions. The mixer calls each group's network
// itself, because values of two groups do not pair: it belongs to no group, and agents are a size of its values.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "qmix.hpp"
#include "tenon/agents.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/options.hpp"

struct Kinds : Qmix {
    std::vector<std::string> of;
    bool adds = false, double_q = true;

    // The value of the batch's actions, and that of the best ones, which the live networks choose if double.
    [[nodiscard]] tenon::Value chosen(const tenon::Graph& g) const {
        return joint(g, [&](const std::string& role) {
            const tenon::Value all = by_agent(g.network(role.c_str())(g.batch()).values());
            return sum(all * one_hot(action_of(g, role), tenon::last_size(all)));
        });
    }
    [[nodiscard]] tenon::Value best(const tenon::Graph& g) const {
        return joint(g, [&](const std::string& role) {
            const tenon::Network network = g.network(role.c_str());
            const tenon::Value all = by_agent(network.target()(g.batch()).values());
            const tenon::Value ranked = double_q ? by_agent(network(g.batch()).values()) : all;
            return sum(all * one_hot(argmax(ranked), tenon::last_size(all)));
        });
    }

    static constexpr auto options = std::tuple_cat(
        Qmix::options,
        std::tuple{tenon::option<&Kinds::of>("of", {}, "",
                                             "groups whose agents' values it mixes; each has a network of its name"),
                   tenon::option<&Kinds::adds>("adds", false, "", "the joint value is the sum of the agents' values"),
                   tenon::option<&Kinds::double_q>("double", true, "",
                                                   "live networks choose next actions, target networks value them")});
    static constexpr auto functions = std::tuple{tenon::function<&Kinds::chosen>("chosen", "", "value"),
                                                 tenon::function<&Kinds::best>("best", "", "value")};

private:
    template <class Values>
    [[nodiscard]] tenon::Value joint(const tenon::Graph& g, Values values) const {
        if (of.empty()) {
            throw tenon::InvalidArgument("'of' must name the groups whose agents' values it mixes");
        }
        std::vector<tenon::In> all;
        for (const std::string& role : of) {
            all.emplace_back(values(role));
        }
        const tenon::Value q = all.size() == 1 ? tenon::Value{all.front().id} : tenon::concat(all);
        return adds ? sum(q) : mixed(g, q);
    }

    // [.., agents, actions].
    static tenon::Value by_agent(tenon::Value values) { return permute(tenon::agents(values), {-1, -2}); }

    static tenon::Value action_of(const tenon::Graph& g, const std::string& group) {
        return g.batch()[(group + ".action").c_str()];
    }
};
