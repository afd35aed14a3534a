// SPDX-License-Identifier: Apache-2.0
// Board games of two players in turn. `Rules` has the board, the moves and the scripted players.
//
// One policy. The player who is asked for the action at time t is the mover of t. `observation` (the mover's stones,
// then the other's), `action_mask` (the legal moves) and the step's reward are from the mover's view: 1 for a win, -1
// for a loss, 0 for a draw and for every other step. `turn` is the mover: 0 the side that begins, 1 the other one.
// Against a scripted opponent the mover is always the policy: its step is its own move and the reply, and `turn` is
// constant during an episode. With opponent = "self" a step is one move and `turn` changes every step, so
// `next.observation` belongs to the other player. Its value has the opposite sign for the mover of t, and a loss never
// appears as a reward of -1, only as the other player's 1. An objective that bootstraps must change the sign of the
// next value where next.turn differs from turn.
//
// Two policies. With opponent = "learnt" the sides are two groups of one agent, `player` and `opponent`. A step is one
// move, and both groups see every position from their own side: who waits has one legal action, 0, which is ignored,
// and the last number of its observation is 0. So a player's next value is of the position after the other's move, and
// a loss is a reward of -1 in the step of the move that causes it; no sign has to change.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <tuple>

#include "cells_drawing.hpp"
#include "tenon/env.hpp"

template <class Rules>
struct TwoPlayers : Rules {
    using Stones = std::uint64_t;

    std::string opponent, first, replies;
    std::array<Stones, 2> stones;  // of the side that begins, and of the other one
    std::size_t turn;              // who moves next: 0 or 1
    std::size_t mover;             // the side of the policy, or of `player`

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::option<&TwoPlayers::opponent>(
                "opponent", "random", Rules::kOpponents,
                "who plays the other side: the policy too, a scripted player, or a policy of the group opponent"),
            tenon::option<&TwoPlayers::first>("first", "random", "policy|opponent|random",
                                              "who moves first, unless the opponent is self"),
            tenon::option<&TwoPlayers::replies>(
                "replies", "policy", Rules::kReplies,
                "who chooses the moves of the group opponent: its policy, or a scripted player, for evaluations")},
        Rules::options);

    [[nodiscard]] bool has_groups() const { return opponent == "learnt"; }

    void setup() {
        if (!has_groups() && replies != "policy") {
            throw tenon::InvalidArgument("replies = \"" + replies + "\" needs opponent = \"learnt\", but it is \"" +
                                         opponent + "\"");
        }
    }

    [[nodiscard]] tenon::EnvSpec spec() const {
        const tenon::Spec turns = tenon::categorical("turn", 2);
        const tenon::Spec reward = tenon::bounded("reward", {}, -1, 1);
        if (!has_groups()) {
            return {{tenon::bounded("observation", {2 * Rules::kCells}, 0, 1),
                     tenon::binary("action_mask", {Rules::kActions}), turns},
                    {tenon::categorical("action", Rules::kActions)},
                    reward};
        }
        tenon::EnvSpec out{.observations = {}, .actions = {}, .reward = reward};
        for (const char* group : {"player", "opponent"}) {
            out.observations.push_back(
                tenon::of_group(group, 1, tenon::bounded("observation", {2 * Rules::kCells + 1}, 0, 1)));
            out.observations.push_back(tenon::of_group(group, 1, tenon::binary("action_mask", {Rules::kActions})));
            out.actions.push_back(tenon::of_group(group, 1, tenon::categorical("action", Rules::kActions)));
            out.rewards.push_back(tenon::of_group(group, 1, reward));
        }
        out.observations.push_back(turns);
        return out;
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        stones = {};
        turn = mover = 0;
        if (opponent != "self" && (first == "opponent" || (first == "random" && rng.chance(0.5)))) {
            mover = 1;
            if (!has_groups()) {
                reply(opponent, rng);
            }
        }
        show(row);
    }

    tenon::StepResult step(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::size_t me = mover;
        const bool replies_now = has_groups() && turn != me;
        if (replies_now && replies != "policy") {
            reply(replies, rng);
        } else {
            move(row.action<std::int64_t>(replies_now ? 1 : 0)[0]);
        }
        if (opponent == "self") {
            mover = turn;
        } else if (!has_groups() && !over()) {
            reply(opponent, rng);
        }
        show(row);
        const double reward = Rules::has_line(stones[me]) ? 1.0 : Rules::has_line(stones[1 - me]) ? -1.0 : 0.0;
        if (has_groups()) {
            row.reward<float>(0)[0] = static_cast<float>(reward);
            row.reward<float>(1)[0] = static_cast<float>(-reward);
        }
        return {.reward = reward, .terminated = over()};
    }

    static tenon::PictureSize picture() { return size_of_cells(Rules::kRows, Rules::kColumns); }
    void draw(tenon::Picture& out) const {
        show_cells(Rules::kRows, Rules::kColumns, out);
        for (std::int64_t cell = 0; cell < Rules::kCells; ++cell) {
            const std::int64_t row = cell / Rules::kColumns, column = cell % Rules::kColumns;
            draw_cell(row, column, {230, 230, 230}, out);
            if (has_stone(0, cell)) {
                const auto x = static_cast<double>(column) + 0.5, y = static_cast<double>(-row) - 0.5;
                out.line({x - 0.25, y - 0.25}, {x + 0.25, y + 0.25}, 0.1, {40, 90, 180});
                out.line({x - 0.25, y + 0.25}, {x + 0.25, y - 0.25}, 0.1, {40, 90, 180});
            } else if (has_stone(1, cell)) {
                draw_token(row, column, {200, 90, 40}, out);
            }
        }
    }

    void state(tenon::Archive& archive) { archive(stones, turn, mover); }

private:
    [[nodiscard]] Stones taken() const { return stones[0] | stones[1]; }
    [[nodiscard]] bool has_stone(std::size_t side, std::int64_t cell) const {
        return (stones[side] & Rules::stone_of(cell)) != 0;
    }
    [[nodiscard]] bool over() const {
        return Rules::has_line(stones[0]) || Rules::has_line(stones[1]) || Rules::legal(taken()) == 0;
    }

    void move(std::int64_t action) {
        if (action < 0 || action >= Rules::kActions || (Rules::legal(taken()) >> action & 1U) == 0) {
            throw tenon::InvalidArgument(std::string(Rules::kPlace) + " " + std::to_string(action) + " is " +
                                         Rules::kFull + ", which the action_mask forbids");
        }
        stones[turn] |= Rules::dropped(action, taken());
        turn = 1 - turn;
    }

    // Chooses randomly among equally good moves.
    void reply(const std::string& by, tenon::Rng& rng) {
        std::uint32_t choices = by == "random" ? Rules::legal(taken()) : Rules::best(stones[turn], stones[1 - turn]);
        for (std::uint64_t skip = rng.below(static_cast<std::uint64_t>(std::popcount(choices))); skip > 0; --skip) {
            choices &= choices - 1;
        }
        move(std::countr_zero(choices));
    }

    void show(const tenon::EnvRow& row) const {
        if (has_groups()) {
            show_to(mover, turn == mover, row.observation<float>(0), row.observation<bool>(1));
            show_to(1 - mover, turn != mover, row.observation<float>(2), row.observation<bool>(3));
        } else {
            show_to(mover, true, row.observation<float>(0), row.observation<bool>(1));
        }
        row.observation<std::int64_t>(has_groups() ? 4 : 2)[0] = static_cast<std::int64_t>(has_groups() ? turn : mover);
    }

    void show_to(std::size_t side, bool moves, std::span<float> seen, std::span<bool> mask) const {
        constexpr std::size_t kCount = Rules::kCells;
        for (std::size_t cell = 0; cell < kCount; ++cell) {
            seen[cell] = has_stone(side, static_cast<std::int64_t>(cell)) ? 1.0F : 0.0F;
            seen[kCount + cell] = has_stone(1 - side, static_cast<std::int64_t>(cell)) ? 1.0F : 0.0F;
        }
        if (seen.size() > 2 * kCount) {
            seen[2 * kCount] = moves ? 1.0F : 0.0F;
        }
        const std::uint32_t legal = moves ? Rules::legal(taken()) : 1U;
        for (std::size_t action = 0; action < mask.size(); ++action) {
            mask[action] = (legal >> action & 1U) != 0;
        }
    }
};
