// SPDX-License-Identifier: Apache-2.0
#include "tictactoe.hpp"

#include <bit>
#include <cmath>
#include <string_view>

#include "play.hpp"

namespace tictactoe_test {

using namespace tenon::test;

namespace {

constexpr auto kTicTacToe = tenon::env<TicTacToe>("TicTacToe-v0", "two players in turn");

auto against(std::string_view opponent, std::string_view first = "random") {
    return [=](OptionValues<TicTacToe>& options) {
        options["opponent"].text = tenon::to_str(opponent);
        options["first"].text = tenon::to_str(first);
    };
}

// "x" for the mover's squares, "o" for the other's.
std::string board(EnvRig& rig, std::uint32_t slot, const std::string& next = "", std::uint32_t lane = 0) {
    std::string out;
    for (std::size_t i = 0; i < 9; ++i) {
        const bool mine = rig.columns.at<float>(next + "observation", slot, lane, i) == 1;
        const bool theirs = rig.columns.at<float>(next + "observation", slot, lane, 9 + i) == 1;
        REQUIRE(!(mine && theirs));
        out += mine ? 'x' : theirs ? 'o' : '.';
        REQUIRE(rig.columns.at<bool>(next + "action_mask", slot, lane, i) == (out.back() == '.'));
    }
    return out;
}

std::int64_t turn(EnvRig& rig, std::uint32_t slot) {
    return rig.columns.at<std::int64_t>("turn", slot, 0);
}

}  // namespace

TEST_CASE("against itself every step is one move, seen by whoever makes the next") {
    EnvRig rig(kTicTacToe, 1, 7, against("self"));
    rig.reset({1});
    const std::array<std::int64_t, 5> moves = {0, 4, 1, 8, 2};  // crosses fill the first row
    const std::array<std::string, 5> boards = {".........", "o........", "o...x....", "oo..x....", "xx..o...o"};
    for (std::uint32_t slot = 0; slot < 5; ++slot) {
        CHECK(turn(rig, slot) == slot % 2);
        CHECK(board(rig, slot) == (slot == 2 ? "x...o...." : slot == 3 ? "oo..x...." : boards.at(slot)));
        const Told told = play(rig, slot, moves.at(slot));
        CHECK(told.reward == (slot == 4 ? 1 : 0));
        CHECK(told.terminated == (slot == 4));
    }
    CHECK(board(rig, 4, "next.") == "ooo.x...x");
    CHECK(rig.columns.at<std::int64_t>("next.turn", 4, 0) == 1);
    CHECK(board(rig, 5) == ".........");
    CHECK(turn(rig, 5) == 0);
}

TEST_CASE("a draw gives 0 and fills the board") {
    EnvRig rig(kTicTacToe, 1, 10, against("self"));
    rig.reset({1});
    const std::array<std::int64_t, 9> moves = {0, 1, 2, 4, 3, 5, 7, 6, 8};
    for (std::uint32_t slot = 0; slot < 9; ++slot) {
        const Told told = play(rig, slot, moves.at(slot));
        CHECK(told.reward == 0);
        CHECK(told.terminated == (slot == 8));
    }
    CHECK(board(rig, 8, "next.").find('.') == std::string::npos);
}

TEST_CASE("a taken square is refused") {
    EnvRig rig(kTicTacToe, 1, 3, against("self"));
    rig.reset({1});
    play(rig, 0, 4);
    rig.columns.at<std::int64_t>("action", 1, 0) = 4;
    REQUIRE(rig.step(1, 2) == TN_OK);
    CHECK(rig.lane_status[0] == TN_INVALID_ARGUMENT);
    CHECK(rig.host.error == "square 4 is taken, which the action_mask forbids");
}

TEST_CASE("against an opponent every step is a move and its answer, seen by the policy") {
    for (const bool begins : {true, false}) {
        EnvRig rig(kTicTacToe, 1, 200, against("random", begins ? "policy" : "opponent"));
        rig.reset({9});
        int wins = 0;
        int losses = 0;
        bool fresh = true;
        for (std::uint32_t slot = 0; slot + 1 < 200; ++slot) {
            const std::string before = board(rig, slot);
            CHECK(turn(rig, slot) == (begins ? 0 : 1));
            CHECK(std::ranges::count(before, 'o') == std::ranges::count(before, 'x') + (begins ? 0 : 1));
            CHECK((!fresh || std::ranges::count(before, 'x') == 0));
            const Told told = play(rig, slot, any_action(rig, slot, 0, 9, true));
            const std::string after = told.terminated ? board(rig, slot, "next.") : board(rig, slot + 1);
            for (std::size_t i = 0; i < 9; ++i) {
                CHECK((before[i] == '.' || before[i] == after[i]));
            }
            wins += told.reward == 1 ? 1 : 0;
            losses += told.reward == -1 ? 1 : 0;
            CHECK((told.reward == 0 || told.terminated));
            // there is no reply to a win or to the move that fills the board
            const auto more = std::ranges::count(after, 'o') - std::ranges::count(before, 'o');
            CHECK(more == (told.reward == 1 || std::ranges::count(before, '.') == 1 ? 0 : 1));
            fresh = told.terminated;
        }
        CHECK(wins > 5);
        CHECK(losses > 5);
    }
}

TEST_CASE("a random opponent answers evenly, and who begins is drawn evenly") {
    constexpr std::uint32_t kLanes = 9000;
    EnvRig rig(kTicTacToe, kLanes, 1, against("random"));
    std::vector<std::uint64_t> seeds(kLanes);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
        seeds[i] = i;
    }
    rig.reset(seeds);
    std::array<int, 9> answers{};
    int first = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::string seen = board(rig, 0, "", lane);
        const bool begins = rig.columns.at<std::int64_t>("turn", 0, lane) == 0;
        REQUIRE(std::ranges::count(seen, 'o') == (begins ? 0 : 1));
        first += begins ? 1 : 0;
        if (!begins) {
            ++answers.at(seen.find('o'));
        }
    }
    CHECK(std::abs(first - 4500) < 4.5 * std::sqrt(4500 / 2.0));
    for (const int times : answers) {
        CHECK(std::abs(times - 500) < 4.5 * std::sqrt(500));
    }
}

TEST_CASE("the solution of the game is known") {
    const TicTacToeSolution solution;
    CHECK(solution.value(0, 0) == 0);
    CHECK(solution.best(0, 0) == kAllSquares);
    CHECK(solution.best(0, 1U << 4) == 0505);     // the right reply to the centre is a corner
    CHECK(solution.best(0, 1U << 0) == 1U << 4);  // the right reply to a corner is the centre
    CHECK(solution.value(0b000000011, 0b000011000) == 1);
    CHECK(solution.best(0b000000011, 0b000011000) == 0b000000100);  // both could win: the player to move does
    CHECK(solution.value(0b100010000, 0b001000101) == -1);          // two lines to block at once
}

TEST_CASE("perfect play is never beaten, and beats who blunders") {
    for (const char* first : {"policy", "opponent"}) {
        EnvRig rig(kTicTacToe, 1, 3000, against("perfect", first));
        rig.reset({4});
        int draws = 0;
        int losses = 0;
        for (std::uint32_t slot = 0; slot + 1 < 3000; ++slot) {
            const Told told = play(rig, slot, any_action(rig, slot, 0, 9, true));
            REQUIRE(told.reward <= 0);
            losses += told.reward < 0 ? 1 : 0;
            draws += told.terminated && told.reward == 0 ? 1 : 0;
        }
        CHECK(losses > 300);
        CHECK(draws > 20);
    }
}

TEST_CASE("two perfect players draw") {
    const TicTacToeSolution solution;
    EnvRig rig(kTicTacToe, 1, 500, against("perfect"));
    rig.reset({4});
    int games = 0;
    for (std::uint32_t slot = 0; slot + 1 < 500; ++slot) {
        unsigned mine = 0;
        unsigned theirs = 0;
        const std::string seen = board(rig, slot);
        for (std::size_t i = 0; i < 9; ++i) {
            mine |= seen[i] == 'x' ? 1U << i : 0;
            theirs |= seen[i] == 'o' ? 1U << i : 0;
        }
        const Told told = play(rig, slot, std::countr_zero(solution.best(mine, theirs)));
        REQUIRE(told.reward == 0);
        games += told.terminated ? 1 : 0;
    }
    CHECK(games > 90);
}

TEST_CASE("tic-tac-toe resumes from saved state") {
    for (const char* opponent : {"self", "random", "perfect"}) {
        check_resumes(kTicTacToe, 9, true, against(opponent));
    }
}

namespace {

auto learnt(std::string_view replies = "policy") {
    return [=](OptionValues<TicTacToe>& options) {
        options["opponent"].text = tenon::to_str("learnt");
        options["replies"].text = tenon::to_str(replies);
    };
}

// A position as one group sees it.
struct Side {
    unsigned mine = 0, theirs = 0;
    bool moves = false;
    int allowed = 0;

    Side(EnvRig& rig, const std::string& group, std::uint32_t slot) {
        for (std::size_t i = 0; i < 9; ++i) {
            mine |= rig.columns.at<float>(group + ".observation", slot, 0, i) == 1 ? 1U << i : 0;
            theirs |= rig.columns.at<float>(group + ".observation", slot, 0, 9 + i) == 1 ? 1U << i : 0;
            allowed += rig.columns.at<bool>(group + ".action_mask", slot, 0, i) ? 1 : 0;
        }
        moves = rig.columns.at<float>(group + ".observation", slot, 0, 18) == 1;
    }
    // Under perfect play, for the one that sees the position, who may be waiting.
    [[nodiscard]] int value(const TicTacToeSolution& solution) const {
        return moves ? solution.value(mine, theirs) : -solution.value(theirs, mine);
    }
};

// Plays one move of whoever is to move, at random; the group that waits chooses something else.
std::string play_one(EnvRig& rig, std::uint32_t slot) {
    const std::string mover = Side(rig, "player", slot).moves ? "player" : "opponent";
    for (const char* group : {"player", "opponent"}) {
        rig.columns.at<std::int64_t>(std::string(group) + ".action", slot, 0) = 0;
    }
    std::vector<std::int64_t> allowed;
    for (std::int64_t i = 0; i < 9; ++i) {
        if (rig.columns.at<bool>(mover + ".action_mask", slot, 0, static_cast<std::size_t>(i))) {
            allowed.push_back(i);
        }
    }
    const std::uint32_t bits = tn_philox({slot, 3}, 0).word[0];
    rig.columns.at<std::int64_t>(mover + ".action", slot, 0) =
        allowed[tn_below(bits, static_cast<std::uint32_t>(allowed.size()))];
    REQUIRE(rig.step(slot, slot + 1, 0, 1) == TN_OK);
    REQUIRE(rig.lane_status[0] == TN_OK);
    return mover;
}

}  // namespace

TEST_CASE("two groups see every position from their own sides, and who waits has one action") {
    EnvRig rig(kTicTacToe, 1, 300, learnt());
    rig.reset({3});
    std::array<int, 2> begins{};
    bool fresh = true;
    for (std::uint32_t slot = 0; slot + 1 < 300; ++slot) {
        const Side player(rig, "player", slot), opponent(rig, "opponent", slot);
        REQUIRE(player.mine == opponent.theirs);
        REQUIRE(player.theirs == opponent.mine);
        REQUIRE(player.moves != opponent.moves);
        const int free = 9 - std::popcount(player.mine | player.theirs);
        CHECK(player.allowed == (player.moves ? free : 1));
        CHECK(opponent.allowed == (opponent.moves ? free : 1));
        begins[player.moves ? 0 : 1] += fresh ? 1 : 0;
        play_one(rig, slot);
        const bool ends = rig.columns.at<bool>("terminated", slot, 0);
        const float reward = rig.columns.at<float>("player.reward", slot, 0);
        CHECK(rig.columns.at<float>("reward", slot, 0) == reward);
        CHECK(rig.columns.at<float>("opponent.reward", slot, 0) == -reward);
        CHECK((ends || reward == 0));
        fresh = ends;
    }
    CHECK(begins[0] > 5);
    CHECK(begins[1] > 5);
}

// The next value of a row is that of the position after the other's move, from the side of the same player. So no sign
// changes between turns, and a mistake lowers the advantage in its own row, not in a later one.
TEST_CASE("with the values of perfect play, a step's advantage is what the move loses, for both players") {
    const TicTacToeSolution solution;
    EnvRig rig(kTicTacToe, 1, 400, learnt());
    rig.reset({8});
    int mistakes = 0, ends = 0;
    for (std::uint32_t slot = 0; slot + 1 < 400; ++slot) {
        const Side now(rig, "player", slot), other_now(rig, "opponent", slot);
        const std::string mover = play_one(rig, slot);
        const bool ended = rig.columns.at<bool>("terminated", slot, 0);
        const Side next(rig, "player", slot + 1), other_next(rig, "opponent", slot + 1);
        const float gain = rig.columns.at<float>("player.reward", slot, 0) +
                           static_cast<float>(ended ? 0 : next.value(solution)) -
                           static_cast<float>(now.value(solution));
        const float other_gain = rig.columns.at<float>("opponent.reward", slot, 0) +
                                 static_cast<float>(ended ? 0 : other_next.value(solution)) -
                                 static_cast<float>(other_now.value(solution));
        REQUIRE(gain == -other_gain);
        REQUIRE((mover == "player" ? gain : other_gain) <= 0);
        mistakes += gain != 0 ? 1 : 0;
        ends += ended ? 1 : 0;
    }
    CHECK(mistakes > 30);
    CHECK(ends > 30);
}

TEST_CASE("a script may move for the group opponent, whose actions then do not count") {
    EnvRig rig(kTicTacToe, 1, 2000, learnt("perfect"));
    rig.reset({5});
    int losses = 0;
    for (std::uint32_t slot = 0; slot + 1 < 2000; ++slot) {
        play_one(rig, slot);
        REQUIRE(rig.columns.at<float>("reward", slot, 0) <= 0);
        losses += rig.columns.at<float>("reward", slot, 0) < 0 ? 1 : 0;
    }
    CHECK(losses > 100);
}

TEST_CASE("replies of a script need a group that they replace") {
    CHECK(refusal(kTicTacToe, [](OptionValues<TicTacToe>& options) {
              options["replies"].text = tenon::to_str("perfect");
          }) == "replies = \"perfect\" needs opponent = \"learnt\", but it is \"random\"");
}

}  // namespace tictactoe_test
