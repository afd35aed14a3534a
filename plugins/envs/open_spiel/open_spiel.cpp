// SPDX-License-Identifier: Apache-2.0
// The component open_spiel/game: games of OpenSpiel for one policy, in Python processes (docs/worlds.md). The rules of
// turns are in tenon_worker/open_spiel.py.
#include <cstdint>
#include <string>
#include <tuple>

#include "bridge/env.hpp"
#include "bridge/needs.hpp"

namespace open_spiel {

struct Game : bridge::Env {
    std::string game;
    std::string observation;
    std::string opponent;
    std::int64_t player;

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::required<&Game::game>("game", "", "as OpenSpiel names it: connect_four, hex(board_size=5)"),
            tenon::option<&Game::observation>("observation", "observation", "observation|information_state",
                                              "which tensor of the player who moves is observed"),
            tenon::option<&Game::opponent>("opponent", "random", "self|random",
                                           "who plays the other players: the policy too, or random players"),
            tenon::option<&Game::player>("player", -1, "[-1,1000]",
                                         "which player the policy is, unless the opponent is self; 0 moves first; -1: "
                                         "another one in each episode, at random"),
        },
        bridge::Env::options);

    void open(tenon::EnvBatch batch) {
        bridge::Making making;
        making.id = "open_spiel:" + game;
        making.id_option = "game";
        making.name = game;
        making.kwargs = "{\"observation\":" + bridge::json_string(observation) +
                        ",\"opponent\":" + bridge::json_string(opponent) + ",\"player\":" + std::to_string(player) +
                        "}";
        start(batch, making);
    }
};

tenon::Needs look() {
    return {bridge::python_with({"numpy", "gymnasium", "open_spiel"}, "open_spiel/game")};
}

}  // namespace open_spiel

TENON_PLUGIN("open_spiel", "0.1.0",
             tenon::needing<open_spiel::look>(tenon::env<open_spiel::Game>("game",
                                                                           "a game of OpenSpiel in Python processes")));
