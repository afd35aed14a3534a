// SPDX-License-Identifier: Apache-2.0
// Keeps frozen copies of a network that learns, as members of another network, and rates all of them by Elo. Member 0
// is what the learner was in the round before; the others are older copies, of which the oldest is replaced now and
// then.
//
// A game of the learner against member k changes both ratings by `k_factor` times the difference between its result and
// the result that the ratings predict. A copy begins with the learner's rating. Ratings are relative to each other:
// only differences have a meaning.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/hook.hpp"

struct Pool {
    std::string network, copies, copy, reward;
    std::int64_t every;
    double k_factor;

    static constexpr auto options = std::tuple{
        tenon::option<&Pool::network>("network", "actor", "", "the network that learns"),
        tenon::option<&Pool::copies>("copies", "copies", "", "the frozen network whose members are its copies"),
        tenon::option<&Pool::copy>("copy", "opponent.copy", "", "the column that says which member is the opponent"),
        tenon::option<&Pool::reward>("reward", "next.player.reward", "",
                                     "the learner's reward, whose sign at the end of a game says who has won"),
        tenon::option<&Pool::every>("every", 50'000, "[1,1e12]", "frames from one copy that is kept to the next"),
        tenon::option<&Pool::k_factor>("k_factor", 4.0, "(0,1000]", "how much a game changes the ratings")};

    double rating = 1200;
    std::vector<double> ratings;  // of the members
    std::int64_t kept = 0;        // copies so far
    void state(tenon::Archive& archive) { archive(rating, ratings, kept); }

    [[nodiscard]] tenon::HookPlan plan() const {
        return {.columns = {copy, reward},
                .metrics = {"elo", "elo_of_best_copy", "score", "copies"},
                .networks = {network},
                .writes = {copies},
                .copies_of = {network}};
    }

    void started(const tenon::HookCall& run) {
        ratings.assign(run.written(0).members_of(run.network(0)), rating);
        for (std::size_t member = 0; member < ratings.size(); ++member) {
            renew(run, member);
        }
    }

    void collected(const tenon::HookCall& run) {
        if (ratings.empty()) {
            started(run);
        }
        const tenon::HookFrames round = run.round();
        double points = 0, games = 0;
        round.each([&](tenon::SlotLane at) {
            if (round.ends_episode(at)) {
                const double got = round.value(1, at), point = got > 0 ? 1 : got < 0 ? 0 : 0.5;
                rate(point, std::min(static_cast<std::size_t>(round.value(0, at)), ratings.size() - 1));
                points += point;
                games += 1;
            }
        });
        if (games > 0) {
            run.report(2, points / games);
        }
        run.report(0, rating);
        run.report(1, *std::ranges::max_element(ratings));
        renew(run, 0);
        const auto due = static_cast<std::int64_t>(run.frames()) / every, others = std::ssize(ratings) - 1;
        if (others > 0 && due > kept) {
            kept = due;
            renew(run, 1 + static_cast<std::size_t>((kept - 1) % others));
        }
        run.report(3, static_cast<double>(std::min(kept, others)));
    }

private:
    void renew(const tenon::HookCall& run, std::size_t member) {
        run.written(0).write_member(member, run.network(0));
        ratings[member] = rating;
    }

    void rate(double point, std::size_t member) {
        const double expected = 1 / (1 + std::pow(10.0, (ratings[member] - rating) / 400));
        const double change = k_factor * (point - expected);
        rating += change;
        ratings[member] -= change;
    }
};
