// SPDX-License-Identifier: Apache-2.0
// Replaces an action, with probability beta, by that of an expert in the same state: the mixture by which DAgger (Ross
// et al. 2011, arXiv 1011.0686) collects. If only the expert acted, no frame would show what to do after a mistake of
// the learner.
#pragma once

#include <string>
#include <tuple>

#include "tenon/build.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/options.hpp"

struct Expert {
    std::string expert;

    [[nodiscard]] tenon::Value explore(const tenon::Graph& g, tenon::Value action) const {
        const tenon::Value own = action;
        const tenon::Value wanted = g.network(expert.c_str())(g.batch()).mode();
        const std::size_t sizes = tenon::sizes_of(own).size();
        if (sizes > 1) {
            throw tenon::InvalidArgument("the mixture with an expert needs an action of at most one dimension");
        }
        const tenon::Value whether =
            random_uniform(sizes == 0 ? own : squeeze(slice(own, 0, 1)), "whether") < g.option("beta");
        return where(sizes == 0 ? whether : unsqueeze(whether), wanted, own);
    }

    static constexpr auto options =
        std::tuple{tenon::option<&Expert::expert>("expert", "expert", "", "role of the network that is the expert"),
                   tenon::live("beta", 0.5, "[0,1]", "probability of the expert's action; can be scheduled")};
    static constexpr auto functions = std::tuple{tenon::function<&Expert::explore>("explore", "action", "action")};
};
