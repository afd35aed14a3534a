// SPDX-License-Identifier: Apache-2.0
// Monte Carlo tree search in copies of the env. Each simulation begins at the lane's present state, follows the tree by
// a score, adds one position to it, and plays on at random; the return is added to all actions on the way. If networks
// guide the search (guide.hpp), they give the prior of each action and, in place of random play, the value of the
// position that was added (Silver et al. 2018).
//
// The tree has an edge for each action and none for chance: if chance decides what follows an action, one position
// stands for all outcomes. In games of two players in turn, the column `turn` says which player a value belongs to:
// when it changes, the value of what follows changes its sign.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "scores.hpp"
#include "tenon/options.hpp"
#include "tenon/planner.hpp"
#include "tenon/policy.hpp"

namespace plan {

struct Mcts {
    std::int64_t simulations, rollout;
    std::string score, turn;
    double c, gamma, noise;

    static constexpr auto options = std::tuple{
        tenon::option<&Mcts::simulations>("simulations", 100, "[1,1000000]", "games that it plays before each action"),
        tenon::option<&Mcts::score>("score", "puct", "puct|ucb|ucb1|ucb1_tuned",
                                    "what it maximises in the tree; the prior of puct is a network's, or else uniform"),
        tenon::option<&Mcts::c>("c", 1.5, "[0,1000]", "how much the score prefers actions that were tried rarely"),
        tenon::option<&Mcts::rollout>(
            "rollout", 1000, "[0,1000000]",
            "steps of random play after the tree, unless a network has its value; what follows "
            "counts as 0"),
        tenon::option<&Mcts::gamma>("gamma", 1.0, "[0,1]", "discount of the next reward"),
        tenon::option<&Mcts::noise>("noise", 0.25, "[0,1]",
                                    "share of random numbers in a network's prior of the first action, where actions "
                                    "are drawn"),
        tenon::option<&Mcts::turn>("turn", "turn", "",
                                   "the column that says whose turn it is; without such a column there is one player")};

    void setup_columns(const tenon::PolicySpec& spec) {
        if (spec.actions.size() != 1 || spec.actions[0].kind != TN_SPEC_CATEGORICAL || !spec.actions[0].shape.empty()) {
            throw tenon::InvalidArgument("it plans for envs with one categorical action");
        }
        actions_ = static_cast<std::size_t>(spec.actions[0].categories[0]);
        for (std::size_t i = 0; i < spec.observations.size(); ++i) {
            const tenon::Spec& one = spec.observations[i];
            if (one.key == spec.actions[0].key + "_mask") {
                mask_ = i;
            } else if (one.key == turn && one.kind == TN_SPEC_CATEGORICAL) {
                turn_ = i;
            }
        }
        if (!turn_ && turn != "turn") {
            throw tenon::InvalidArgument("turn = '" + turn + "' names no categorical observation of the env");
        }
    }

    // Simulations of all lanes go side by side, because a step of the copies is one of all lanes.
    void plan(const tenon::PlanCall& call) const {
        searches_.resize(call.lanes());
        for (std::uint32_t lane = 0; lane < call.lanes(); ++lane) {
            searches_[lane].begin(call.rng(lane), actions_);
        }
        for (std::int64_t simulation = 0; simulation < simulations; ++simulation) {
            simulate(call, simulation == 0);
        }
        for (std::uint32_t lane = 0; lane < call.lanes(); ++lane) {
            const tenon::PolicyRow row = call.row(lane);
            row.action<std::int64_t>()[0] = searches_[lane].chosen(row.wants_mode(), simulations);
        }
    }

private:
    struct Edge {
        Tried tried;
        std::size_t child = 0;  // the first edge of the position that follows; 0: it is not in the tree
    };
    struct Made {
        std::size_t edge;  // kNoEdge: of random play
        double reward;
        double sign;  // of the value of what follows
    };
    static constexpr std::size_t kNoEdge = std::numeric_limits<std::size_t>::max();

    // The tree of one lane, and the simulation that is going on.
    struct Search {
        std::optional<tenon::Rng> rng;
        std::size_t actions = 0;
        std::vector<Edge> edges;  // of a position: as many as there are actions, one after the other
        std::vector<Made> made;
        std::vector<bool> legal;
        std::size_t position = 0, action = 0;
        std::int64_t mover = 0, left = 0;
        double worth = 0;  // what follows the simulation, by a guide
        bool in_tree = true, done = false, waits = false;

        void begin(const tenon::Rng& generator, std::size_t count) {
            rng.emplace(generator);
            actions = count;
            edges.clear();
            add_position();
        }

        std::size_t add_position() {
            edges.resize(edges.size() + actions, Edge{.tried = {.prior = 1.0 / static_cast<double>(actions)}});
            return edges.size() - actions;
        }

        // After a step: moves on in the tree, adds a position to it, or counts a step of random play.
        // With a guide, the simulation ends where it adds a position, which then waits for its priors and its value.
        void follow(double reward, bool ended, std::int64_t next, bool guided) {
            made.push_back({in_tree ? position + action : kNoEdge, reward, ended || next == mover ? 1.0 : -1.0});
            mover = next;
            done = ended || (!in_tree && --left <= 0);
            if (in_tree && !done) {
                const std::size_t child = edges[position + action].child;
                in_tree = child != 0;
                if (child == 0) {
                    const std::size_t added = add_position();
                    edges[position + action].child = added;
                    done = guided || left <= 0;
                    waits = guided;
                    position = guided ? added : child;
                } else {
                    position = child;
                }
            }
        }

        // The prior and the value of the position that was added. An action that is not allowed is never tried.
        void guide(const tenon::EnvCopies& copies, std::uint32_t slot, std::uint32_t lane) {
            for (std::size_t one = 0; one < actions; ++one) {
                edges[position + one].tried.prior = copies.prior(slot, lane, one);
            }
            worth = copies.value(slot, lane);
            waits = false;
        }

        // Mixes the first position's priors with weights that are uniform among all that sum to 1.
        void mix(double share) {
            std::vector<double> weights(actions);
            double sum = 0;
            for (std::size_t one = 0; one < actions; ++one) {
                weights[one] = legal[one] ? -std::log1p(-rng->uniform()) : 0;
                sum += weights[one];
            }
            for (std::size_t one = 0; one < actions && sum > 0; ++one) {
                double& prior = edges[one].tried.prior;
                prior += share * (weights[one] / sum - prior);
            }
        }

        // Adds what the simulation has returned to its actions in the tree.
        void back_up(double discount) {
            double value = worth;
            for (auto step = made.rbegin(); step != made.rend(); ++step) {
                value = step->reward + discount * step->sign * value;
                if (step->edge != kNoEdge) {
                    Tried& tried = edges[step->edge].tried;
                    tried.visits += 1;
                    tried.sum += value;
                    tried.squares += value * value;
                }
            }
        }

        // The legal action with the best score. Among equal ones chance chooses where it begins.
        std::size_t best(const std::string& rule, double weight) {
            double visits = 0;
            for (std::size_t i = 0; i < actions; ++i) {
                visits += edges[position + i].tried.visits;
            }
            const auto first = static_cast<std::size_t>(rng->below(actions));
            std::size_t out = first;
            double most = -std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < actions; ++i) {
                const std::size_t one = (first + i) % actions;
                const double now = legal[one] ? plan::score(rule, edges[position + one].tried, visits, weight) : most;
                if (legal[one] && (now > most || !legal[out])) {
                    most = now;
                    out = one;
                }
            }
            return out;
        }

        std::size_t any() {
            const auto count = static_cast<std::uint64_t>(std::ranges::count(legal, true));
            auto skip = static_cast<std::int64_t>(rng->below(std::max<std::uint64_t>(count, 1)));
            for (std::size_t one = 0; one < actions; ++one) {
                if (legal[one] && skip-- == 0) {
                    return one;
                }
            }
            return 0;
        }

        // The action that was tried most often, or one by how often it was tried.
        std::int64_t chosen(bool mode, std::int64_t all) {
            double rest = rng->uniform(0, static_cast<double>(all));
            std::size_t out = 0;
            for (std::size_t one = 0; one < actions; ++one) {
                const Tried &now = edges[one].tried, &before = edges[out].tried;
                const bool is_better =
                    now.visits > before.visits || (now.visits == before.visits && mean_of(now) > mean_of(before));
                out = (mode ? is_better : rest >= 0 && now.visits > 0) ? one : out;
                rest -= now.visits;
            }
            return static_cast<std::int64_t>(out);
        }
    };

    static void copy(std::span<const bool> from, std::vector<bool>& to) { to.assign(from.begin(), from.end()); }

    // One simulation in each lane.
    void simulate(const tenon::PlanCall& call, bool first) const {
        const bool guided = call.copies.guided();
        std::uint32_t slot = call.copies.take();
        for (std::uint32_t lane = 0; lane < call.lanes(); ++lane) {
            Search& search = searches_[lane];
            const tenon::PolicyRow row = call.row(lane);
            search.made.clear();
            search.position = 0;
            search.left = rollout;
            search.in_tree = true;
            search.done = false;
            search.legal.assign(actions_, true);
            if (mask_) {
                copy(row.observation<bool>(*mask_), search.legal);
            }
            search.mover = turn_ ? row.observation<std::int64_t>(*turn_)[0] : 0;
            search.worth = 0;
        }
        if (guided && first) {
            call.copies.guide();
            for (std::uint32_t lane = 0; lane < call.lanes(); ++lane) {
                Search& search = searches_[lane];
                search.guide(call.copies, slot, lane);
                search.worth = 0;
                if (noise > 0 && !call.row(lane).wants_mode()) {
                    search.mix(noise);
                }
            }
        }
        for (bool all_done = false; !all_done;) {
            for (std::uint32_t lane = 0; lane < call.lanes(); ++lane) {
                Search& search = searches_[lane];
                search.action = search.in_tree && !search.done ? search.best(score, c) : search.any();
                call.copies.action<std::int64_t>(slot, lane)[0] = static_cast<std::int64_t>(search.action);
            }
            const std::uint32_t before = slot;
            slot = call.copies.step();
            all_done = true;
            bool any_waits = false;
            for (std::uint32_t lane = 0; lane < call.lanes(); ++lane) {
                Search& search = searches_[lane];
                if (!search.done) {
                    search.follow(call.copies.reward(before, lane), call.copies.done(before, lane),
                                  turn_ ? call.copies.observation<std::int64_t>(slot, lane, *turn_)[0] : 0, guided);
                }
                any_waits = any_waits || search.waits;
                if (mask_) {
                    copy(call.copies.observation<bool>(slot, lane, *mask_), search.legal);
                }
                all_done = all_done && search.done;
            }
            if (any_waits) {
                call.copies.guide();
            }
            for (std::uint32_t lane = 0; any_waits && lane < call.lanes(); ++lane) {
                if (searches_[lane].waits) {
                    searches_[lane].guide(call.copies, slot, lane);
                }
            }
        }
        for (Search& search : searches_) {
            search.back_up(gamma);
        }
    }

    std::size_t actions_ = 0;
    std::optional<std::size_t> mask_, turn_;
    mutable std::vector<Search> searches_;  // of the present step, which begins them anew
};

}  // namespace plan
