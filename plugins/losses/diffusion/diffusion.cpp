// SPDX-License-Identifier: Apache-2.0
// Behavioural cloning by diffusion (Chi et al. 2023, arXiv 2303.04137): the actor learns to remove noise from
// chunks of recorded actions. A row is a window of the steps from a frame on (replay/windows). Where an episode has
// ended, its last action is repeated, and counts: the network reads all of a chunk, so it must also make all of it.
#include <tuple>

#include "tenon/losses.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Diffusion {
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto [wanted, guess] = g.network("actor")(batch).call<2>("denoise", {batch["window.action"]});
        g.rows("clone", mean(mean(tenon::distance(kind, guess - wanted))));
    }

    static constexpr auto options = std::tuple{tenon::option<&Diffusion::kind>(
        "loss", "l2", tenon::kDistances, "distance of what the network predicts from what it should predict")};
};

}  // namespace

TENON_PLUGIN("diffusion", "0.1.0", tenon::objective<Diffusion>("diffusion", "cloning by a diffusion policy"));
