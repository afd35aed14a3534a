// SPDX-License-Identifier: Apache-2.0
// Acts by one member of an ensemble, which it draws at the start of each episode: an opponent of a pool. Its column
// `copy` says which.
#pragma once

#include <array>
#include <string>
#include <tuple>

#include "tenon/build.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/members.hpp"
#include "tenon/options.hpp"

struct Opponent {
    std::string copies;

    // Evaluations draw, too: two players that always choose their best moves would play the same game again and again.
    [[nodiscard]] std::array<tenon::Value, 2> act(const tenon::Graph& g) const {
        const tenon::Value each = g.network(copies.c_str())(g.batch()).sample().action;
        if (!tenon::sizes_of(each).empty()) {
            throw tenon::InvalidArgument("it chooses among actions of one number each");
        }
        const tenon::Value all = tenon::members(cast(each, "real"), copies.c_str());
        const auto others = static_cast<double>(tenon::last_size(all) - 1);
        // The memory is the member's number and 1: 0 where an episode begins.
        const tenon::Value before = squeeze(g.memory("copy", {1}));
        const tenon::Value drawn = random_uniform(before, "copy"), newest = g.option("newest");
        const tenon::Value among = floor((drawn - newest) / max(1 - newest, 1e-6) * others);
        const tenon::Value first =
            others > 0 ? where(drawn < newest, 0 * before, 1 + clamp(among, 0.0, others - 1)) : 0 * before;
        const tenon::Value now = where(before < 0.5, first + 1, before);
        g.remember("copy", unsqueeze(now));
        const tenon::Value copy = cast(now - 1, "int");
        return {cast(squeeze(take_along(all, unsqueeze(copy))), "int"), copy};
    }
    [[nodiscard]] tenon::Value choose(const tenon::Graph& g) const { return act(g)[0]; }

    static constexpr auto options = std::tuple{
        tenon::option<&Opponent::copies>("copies", "copies", "", "role of the network whose members are the opponents"),
        tenon::live("newest", 0.5, "[0,1]", "probability of the member 0; the others are equally likely")};
    static constexpr auto functions = std::tuple{tenon::function<&Opponent::act>("sample", "", "action copy"),
                                                 tenon::function<&Opponent::choose>("mode", "", "action")};
};
