// SPDX-License-Identifier: Apache-2.0
// ACT, action chunking (Zhao et al. 2023, arXiv 2304.13705): the actor learns to reconstruct chunks of recorded actions
// through latent numbers, whose distribution stays near the standard normal one. A row is a window of the steps from a
// frame on (replay/windows); its places after the end of an episode do not count.
#include <string>
#include <tuple>

#include "tenon/losses.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Act {
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto given = batch["window.action"];
        const auto [predicted, divergence] = g.network("actor")(batch).call<2>("reconstruct", {given});
        const auto error = mean(tenon::distance(kind, predicted - given));
        g.rows("reconstruction", mean(tenon::cast(batch["window.present"], "real") * error));
        g.rows("divergence", g.option("divergence_coefficient") * divergence);
        g.metric("divergence", batch_mean(divergence));
    }

    static constexpr auto options =
        std::tuple{tenon::option<&Act::kind>("loss", "l1", tenon::kDistances,
                                             "distance of the predicted actions from the recorded ones"),
                   tenon::live("divergence_coefficient", 10.0, "[0,inf)",
                               "weight of the divergence of the latent numbers from the standard normal distribution")};
};

}  // namespace

TENON_PLUGIN("act", "0.1.0", tenon::objective<Act>("act", "action chunking with a latent variable (ACT)"));
