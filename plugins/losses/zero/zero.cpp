// SPDX-License-Identifier: Apache-2.0
// Learns what a tree search plays (Silver et al. 2018): the policy becomes likelier to take the actions that were drawn
// in proportion to how often the search tried them, which on average is the cross-entropy with these shares. The value
// learns how the game ends.
#include <string>
#include <tuple>

#include "tenon/estimators.hpp"
#include "tenon/losses.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Zero {
    std::string turn;

    // The return from the view of whoever moves: where the other one moves next, what follows has the opposite sign.
    void prepare(const tenon::Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        tenon::Value discount = g.option("gamma");
        if (g.spec(turn.c_str(), true) != nullptr) {
            discount = where(next[turn.c_str()] == batch[turn.c_str()], discount, -discount);
        }
        const auto beyond = g.network("value")(next).value();
        g.write("outcome", tenon::td1(next["reward"], beyond, next["terminated"], next["done"], discount));
    }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto error = g.network("value")(batch).value() - batch["outcome"];
        g.rows("policy", -g.network("actor")(batch).log_prob(batch["action"]));
        g.rows("value", g.option("value_coefficient") * square(error));
        g.metric("value_error", batch_mean(square(error)));
    }

    static constexpr auto options =
        std::tuple{tenon::live("gamma", 1.0, "[0,1]", "discount of the return"),
                   tenon::live("value_coefficient", 1.0, "[0,inf)", "weight of the error of the value"),
                   tenon::option<&Zero::turn>("turn", "turn", "",
                                              "the column that says whose turn it is; without such a column there is "
                                              "one player")};
};

}  // namespace

TENON_PLUGIN("zero", "0.1.0", tenon::objective<Zero>("zero", "learns what a tree search plays and how games end"));
