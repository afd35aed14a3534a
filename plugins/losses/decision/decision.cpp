// SPDX-License-Identifier: Apache-2.0
// Decision Transformer (Chen et al. 2021, arXiv 2106.01345) and its online form (Zheng et al. 2022, arXiv 2202.05607):
// the actor learns the actions of recorded steps, given the returns that followed them. Rows are windows of steps
// (replay/windows), and all their places count.
#include <string>
#include <tuple>

#include "tenon/estimators.hpp"
#include "tenon/heads/suited.hpp"
#include "tenon/losses.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/temperature.hpp"

namespace {

using tenon::Graph;
using tenon::Value;

struct Windows {
    // The return from each step to the end of its episode.
    void store_episodes(const Graph& g) const {
        const auto next = g.batch().next();
        g.write("return_to_go", tenon::reward_to_go(next["reward"], next["done"], g.option("discount")));
    }

    [[nodiscard]] static tenon::Batch window(const Graph& g) {
        if (g.spec("window.present", true) == nullptr) {
            throw tenon::InvalidArgument(
                "it learns from windows of steps, but the rows of its buffer have no 'window.present'; replay/windows "
                "makes such rows");
        }
        return g.batch().under("window.");
    }

    // One number per place becomes one per row, so that the mean over rows is that over all places that are present.
    [[nodiscard]] static Value of_rows(const Graph& g, Value places) {
        const Value present = cast(window(g)["present"], "real");
        return sum(places * present) / batch_mean(sum(present));
    }
    // A value [places] or [places, elements] has its mean over elements.
    [[nodiscard]] static Value by_place(Value x) { return tenon::sizes_of(x).size() > 1 ? mean(x) : x; }
    // A density [places] or, of several heads, [places, heads] is that of the whole action.
    [[nodiscard]] static Value joint_by_place(Value x) { return tenon::sizes_of(x).size() > 1 ? sum(x) : x; }

    static constexpr auto options =
        std::tuple{tenon::live("discount", 1.0, "[0,1]", "discount of the returns that follow a step")};
};

struct Transformer : Windows {
    std::string kind;

    void update(const Graph& g) const {
        const auto batch = window(g);
        const auto actor = g.network("actor")(batch);
        const Value action = batch["action"];
        if (by_likelihood(g)) {
            g.rows("clone", of_rows(g, -joint_by_place(actor.log_prob_by_head(action))));
        } else {
            g.rows("clone", of_rows(g, by_place(tenon::distance(kind == "auto" ? "l2" : kind, actor.mode() - action))));
        }
    }

    static constexpr auto options = std::tuple_cat(
        Windows::options, std::tuple{tenon::option<&Transformer::kind>(
                              "loss", "auto", "auto|likelihood|huber|l2|l1",
                              "minus the log-probability of the action, or the distance of the actor's action from it; "
                              "auto: l2 for actions that are real numbers, otherwise likelihood")});

private:
    [[nodiscard]] bool by_likelihood(const Graph& g) const {
        const tn_spec* action = g.spec("action", true);
        const bool is_real =
            action != nullptr && (action->kind == TN_SPEC_BOUNDED || action->kind == TN_SPEC_UNBOUNDED);
        if (!is_real && kind != "auto" && kind != "likelihood") {
            throw tenon::InvalidArgument(
                "loss = \"" + kind + "\" is a distance between actions that are real numbers, but the env has " +
                (action == nullptr ? "an action of several columns" : tenon::suited(*action).kind) +
                "; set loss = \"likelihood\"");
        }
        return kind == "likelihood" || !is_real;
    }
};

struct Online : Windows, tenon::Temperature {
    void update(const Graph& g) const {
        const auto batch = window(g);
        const auto actor = g.network("actor")(batch);
        const Value entropy = joint_by_place(actor.entropy());

        g.stage("actor", {.owns = {}});  // and what it reads, such as transformer/decision
        g.rows("actor.likelihood", of_rows(g, -joint_by_place(actor.log_prob_by_head(batch["action"]))));
        g.rows("actor.entropy", of_rows(g, -alpha(g) * entropy));

        if (learns_alpha) {
            g.stage("temperature", {.owns = {"objective"}});
            g.rows("temperature.alpha", exp(log_alpha(g)) * stop_gradient(of_rows(g, entropy - target(g))));
        }
        g.metric("alpha", alpha(g));
        g.metric("entropy", batch_mean(of_rows(g, entropy)));
    }

    static constexpr auto options = std::tuple_cat(Windows::options, tenon::Temperature::options);

private:
    [[nodiscard]] static Value target(const Graph& g) {
        const tn_spec* action = g.spec("action", true);
        const double elements = action != nullptr && action->rank == 1 ? static_cast<double>(action->shape[0]) : 1.0;
        return g.option("target_entropy") * elements;
    }
};

}  // namespace

TENON_PLUGIN("decision", "0.1.0",
             tenon::objective<Transformer>("transformer",
                                           "Decision Transformer: actions, given the returns after them"),
             tenon::objective<Online>("online", "Online Decision Transformer: the same, with an entropy to reach"));
