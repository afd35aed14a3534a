// SPDX-License-Identifier: Apache-2.0
// The games of the Atari 2600, by ale-py in Python processes (docs/worlds.md). Its licence is GPL-2.0: it is not
// linked.
#include <cstdint>
#include <string>
#include <tuple>

#include "bridge/env.hpp"
#include "games.hpp"

namespace atari {

struct Game : bridge::Env {
    std::string game;
    std::string obs;
    std::int64_t frame_skip;
    double repeat_action_probability;
    bool full_action_space;
    std::int64_t mode;
    std::int64_t difficulty;
    std::int64_t max_frames;
    std::string preprocessing;
    std::int64_t noops;
    bool fire_reset;

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::option<&Game::game>("game", "pong", "", "the ROM"),
            tenon::option<&Game::obs>("obs", "grey", "grey|rgb|ram", "picture [1, h, w] or [h, w, 3], or RAM [128]"),
            tenon::option<&Game::frame_skip>("frame_skip", 1, "[1,1000]", "frames a step"),
            tenon::option<&Game::repeat_action_probability>("repeat_action_probability", 0.25, "[0,1]",
                                                            "that a frame takes the action before"),
            tenon::option<&Game::full_action_space>("full_action_space", false, "all 18 actions"),
            tenon::option<&Game::mode>("mode", -1, "[-1,1000]", "of the game; -1: its own"),
            tenon::option<&Game::difficulty>("difficulty", -1, "[-1,1000]", "of the game; -1: its own"),
            tenon::option<&Game::max_frames>("max_frames", 108000, "[0,inf)", "episodes are cut then; 0: never"),
            tenon::option<&Game::preprocessing>("preprocessing", "", "|standard",
                                                "standard: by ale-py itself, [1, 84, 84] every 4 frames"),
            tenon::option<&Game::noops>("noops", 30, "[1,10000]",
                                        "with preprocessing: episodes begin with fewer than so many"),
            tenon::option<&Game::fire_reset>("fire_reset", false,
                                             "with preprocessing: then with the button FIRE, in games that have it"),
        },
        bridge::Env::options);

    void open(tenon::EnvBatch batch) {
        const bool is_standard = preprocessing == "standard";
        if (is_standard && (obs != "grey" || frame_skip != 1 || mode != -1 || difficulty != -1)) {
            throw tenon::InvalidArgument(
                "preprocessing = \"standard\" takes every fourth frame of grey pictures in the game's own mode: leave "
                "out "
                "'obs', 'frame_skip', 'mode' and 'difficulty'");
        }
        if (fire_reset && !is_standard) {
            throw tenon::InvalidArgument(
                "option 'fire_reset' goes with preprocessing = \"standard\"; without that, wrap/fire_reset around the "
                "game presses FIRE");
        }
        start(batch, {.id = "atari:" + game,
                      .id_option = "game",
                      .name = game,
                      .folder = {},
                      .kwargs = "{\"obs\":\"" + obs + "\",\"frame_skip\":" + std::to_string(frame_skip) +
                                ",\"repeat_action_probability\":" + std::to_string(repeat_action_probability) +
                                ",\"full_action_space\":" + (full_action_space ? "true" : "false") +
                                ",\"mode\":" + std::to_string(mode) + ",\"difficulty\":" + std::to_string(difficulty) +
                                ",\"max_frames\":" + std::to_string(max_frames) +
                                (is_standard ? ",\"noops\":" + std::to_string(noops) +
                                                   ",\"fire_reset\":" + (fire_reset ? "true" : "false") +
                                                   ",\"threads\":" + std::to_string(workers_for(batch.lanes))
                                             : "") +
                                "}",
                      .vector = is_standard ? "make_vec" : "",
                      .action_mask = "none",
                      .infos = {"lives"},
                      .leave_out = {},
                      // ale-py's threads take lanes as they become free, which is faster than a part for each process.
                      .processes = is_standard ? 1U : 0U});
    }
};

consteval auto game(const char* id, const char* rom) {
    return tenon::env<Game>(id, "Atari 2600", {"game", rom});
}

}  // namespace atari

using atari::game;

TENON_PLUGIN("atari", "0.1.0", ATARI_GAMES);
