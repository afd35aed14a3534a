// SPDX-License-Identifier: Apache-2.0
#include "action_chunk.hpp"
#include "end_of_life.hpp"
#include "fire_reset.hpp"
#include "frame_skip.hpp"
#include "go_back.hpp"
#include "imagined.hpp"
#include "macro_action.hpp"
#include "max_frame_skip.hpp"
#include "noop_reset.hpp"
#include "pixels.hpp"
#include "random_time_limit.hpp"

TENON_PLUGIN("wrap", "0.1.0", tenon::wrapper<ActionChunk>("action_chunk", "the policy gives several actions at once"),
             tenon::wrapper<EndOfLife>("end_of_life", "an episode ends where a life is lost, and the game goes on"),
             tenon::wrapper<FireReset>("fire_reset", "episodes begin with a step of one action"),
             tenon::wrapper<FrameSkip>("frame_skip", "every action is repeated; rewards add up"),
             tenon::wrapper<GoBack>("go_back", "episodes begin where earlier ones have been"),
             tenon::wrapper<Imagined>("imagined", "steps are what a model imagines; the env says where episodes begin"),
             tenon::wrapper<MacroAction>("macro_action", "a choice of the policy is a sequence of actions"),
             tenon::wrapper<MaxFrameSkip>("max_frame_skip", "the same; an observation is the maximum of the last two"),
             tenon::wrapper<NoopReset>("noop_reset", "episodes begin with a random number of steps of one action"),
             tenon::wrapper<Pixels>("pixels", "the policy sees the pictures that the env draws"),
             tenon::wrapper<RandomTimeLimit>("random_time_limit",
                                             "episodes are truncated after a random number of steps"));
