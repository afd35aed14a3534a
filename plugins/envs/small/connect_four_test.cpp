// SPDX-License-Identifier: Apache-2.0
#include "connect_four.hpp"

#include <string_view>

#include "play.hpp"

namespace connect_four_test {

using namespace tenon::test;

namespace {

constexpr auto kConnectFour = tenon::env<ConnectFour>("ConnectFour-v0", "two players in turn");

auto against(std::string_view opponent, std::int64_t depth = 4) {
    return [=](OptionValues<ConnectFour>& options) {
        options["opponent"].text = tenon::to_str(opponent);
        options["depth"].integer = depth;
    };
}

// Who owns a cell: "x" the mover, "o" the other one, "." nobody. Rows from the top.
std::string board(EnvRig& rig, std::uint32_t slot, const std::string& next = "") {
    std::string out;
    for (std::size_t i = 0; i < 42; ++i) {
        const bool mine = rig.columns.at<float>(next + "observation", slot, 0, i) == 1;
        out += mine ? 'x' : rig.columns.at<float>(next + "observation", slot, 0, 42 + i) == 1 ? 'o' : '.';
    }
    return out;
}

std::uint64_t stones_of(std::string_view cells, char owner) {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        out |= cells[i] == owner ? ConnectFourRules::stone_of(static_cast<std::int64_t>(i)) : 0;
    }
    return out;
}

// Lines of four by comparing cells, as the rules say it.
bool has_four(std::string_view cells, char owner) {
    const auto is_own = [&](int row, int column) {
        return row >= 0 && row < 6 && column >= 0 && column < 7 &&
               cells[static_cast<std::size_t>(row * 7 + column)] == owner;
    };
    for (int row = 0; row < 6; ++row) {
        for (int column = 0; column < 7; ++column) {
            for (const auto& [down, right] : {std::pair{0, 1}, {1, 0}, {1, 1}, {1, -1}}) {
                int length = 0;
                while (length < 4 && is_own(row + length * down, column + length * right)) {
                    ++length;
                }
                if (length == 4) {
                    return true;
                }
            }
        }
    }
    return false;
}

}  // namespace

TEST_CASE("stones fall, columns fill, and four in a line end the game") {
    EnvRig rig(kConnectFour, 1, 600, against("self"));
    rig.reset({1});
    int wins = 0, draws = 0, full = 0;
    for (std::uint32_t slot = 0; slot + 1 < 600; ++slot) {
        const std::string before = board(rig, slot);
        for (std::size_t column = 0; column < 7; ++column) {
            REQUIRE(rig.columns.at<bool>("action_mask", slot, 0, column) == (before[column] == '.'));
            full += before[column] == '.' ? 0 : 1;
        }
        const std::int64_t action = any_action(rig, slot, 0, 7, true);
        const Told told = play(rig, slot, action);
        const std::string after = board(rig, slot, told.terminated ? "next." : "");
        const std::string seen = told.terminated ? after : board(rig, slot + 1);
        // The lowest free cell of the column, seen by the other player.
        std::string expected = before;
        std::ranges::transform(expected, expected.begin(), [](char cell) {
            return cell == 'x' ? 'o' : cell == 'o' ? 'x' : cell;
        });
        for (std::size_t row = 6; row-- > 0;) {
            if (expected[row * 7 + static_cast<std::size_t>(action)] == '.') {
                expected[row * 7 + static_cast<std::size_t>(action)] = 'o';
                break;
            }
        }
        REQUIRE(seen == expected);
        CHECK((told.reward == 1) == has_four(seen, 'o'));
        CHECK(told.terminated == (has_four(seen, 'o') || seen.find('.') == std::string::npos));
        wins += told.reward == 1 ? 1 : 0;
        draws += told.terminated && told.reward == 0 ? 1 : 0;
    }
    CHECK(wins > 15);
    CHECK(full > 20);
}

TEST_CASE("a full column is refused") {
    EnvRig rig(kConnectFour, 1, 9, against("self"));
    rig.reset({1});
    for (std::uint32_t slot = 0; slot < 6; ++slot) {
        play(rig, slot, 2);
    }
    rig.columns.at<std::int64_t>("action", 6, 0) = 2;
    REQUIRE(rig.step(6, 7) == TN_OK);
    CHECK(rig.lane_status[0] == TN_INVALID_ARGUMENT);
    CHECK(rig.host.error == "column 2 is full, which the action_mask forbids");
}

TEST_CASE("the search takes a win, blocks one, and prepares two at once") {
    ConnectFourRules rules;
    const auto best = [&](std::string_view cells) { return rules.best(stones_of(cells, 'x'), stones_of(cells, 'o')); };
    const std::string empty(35, '.');
    CHECK(best(empty + "xxx.ooo") == 1U << 3);
    CHECK(best(empty + "ooo..xx") == 1U << 3);
    CHECK(best(empty + "..x.x..") == 1U << 3);  // three in a row with both ends free
    CHECK(best(empty + "..o.o..") == (1U << 1 | 1U << 3 | 1U << 5));
    rules.depth = 1;
    CHECK(best(empty + "ooo..xx") == 0x7FU);
}

// Plain minimax, without bounds and without the shortcut for wins.
namespace {

std::int64_t minimax(std::uint64_t mine, std::uint64_t theirs, std::int64_t left) {
    if (ConnectFourRules::has_line(theirs)) {
        return -left - 1;
    }
    const std::uint32_t moves = ConnectFourRules::legal(mine | theirs);
    if (left == 0 || moves == 0) {
        return 0;
    }
    std::int64_t out = -99;
    for (std::int64_t column = 0; column < 7; ++column) {
        if ((moves >> column & 1U) != 0) {
            out = std::max(out, -minimax(theirs, mine | ConnectFourRules::dropped(column, mine | theirs), left - 1));
        }
    }
    return out;
}

}  // namespace

TEST_CASE("the search finds what minimax finds") {
    const ConnectFourRules rules;
    EnvRig rig(kConnectFour, 1, 120, against("self"));
    rig.reset({2});
    int sure = 0;
    for (std::uint32_t slot = 0; slot + 1 < 120; ++slot) {
        const std::string cells = board(rig, slot);
        const std::uint64_t mine = stones_of(cells, 'x'), theirs = stones_of(cells, 'o');
        std::uint32_t expected = 0;
        std::int64_t most = -99;
        for (std::int64_t column = 0; column < 7; ++column) {
            if ((ConnectFourRules::legal(mine | theirs) >> column & 1U) != 0) {
                const std::int64_t value =
                    -minimax(theirs, mine | ConnectFourRules::dropped(column, mine | theirs), rules.depth - 1);
                expected = value > most ? 1U << column : value == most ? expected | 1U << column : expected;
                most = std::max(most, value);
            }
        }
        REQUIRE(rules.best(mine, theirs) == expected);
        sure += most != 0 ? 1 : 0;
        play(rig, slot, any_action(rig, slot, 0, 7, true));
    }
    CHECK(sure > 15);
}

TEST_CASE("the search nearly always beats random moves") {
    EnvRig rig(kConnectFour, 1, 600, against("search"));
    rig.reset({4});
    int games = 0;
    double points = 0;
    for (std::uint32_t slot = 0; slot + 1 < 600; ++slot) {
        const Told told = play(rig, slot, any_action(rig, slot, 0, 7, true));
        games += told.terminated ? 1 : 0;
        points += told.reward;
    }
    CHECK(games > 30);
    CHECK(points < -0.9 * games);
}

TEST_CASE("connect four resumes from saved state") {
    for (const char* opponent : {"self", "random", "search"}) {
        check_resumes(kConnectFour, 7, true, against(opponent));
    }
}

}  // namespace connect_four_test
