// SPDX-License-Identifier: Apache-2.0
#include "action_scale.hpp"
#include "as_real.hpp"
#include "cast.hpp"
#include "exclude_columns.hpp"
#include "frame_stack.hpp"
#include "init_tracker.hpp"
#include "observation_norm.hpp"
#include "observation_scale.hpp"
#include "rename.hpp"
#include "reward_clip.hpp"
#include "reward_scale.hpp"
#include "reward_sum.hpp"
#include "select_columns.hpp"
#include "select_indices.hpp"
#include "step_counter.hpp"
#include "time_limit.hpp"

// The code is in columns.cpp, episodes.cpp, observations.cpp and rewards.cpp.
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ActionScale>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<AsReal>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Cast>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ExcludeColumns>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<FrameStack>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<InitTracker>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ObservationNorm>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ObservationScale>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Rename>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardClip>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardScale>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardSum>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<SelectColumns>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<SelectIndices>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<StepCounter>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<TimeLimit>);

TENON_PLUGIN(
    "standard", "0.1.0",
    tenon::transform<ActionScale>("action_scale", "actions between two numbers, whatever the env's bounds are"),
    tenon::transform_graph<AsReal>("as_real", "columns as real numbers where they are read, stored as they are"),
    tenon::transform<Cast>("cast", "columns as numbers of another type"),
    tenon::transform<ExcludeColumns>("exclude_columns", "all columns but some"),
    tenon::transform<FrameStack>("frame_stack", "the last few observations side by side"),
    tenon::transform<InitTracker>("init_tracker", "whether the observation is the first of its episode"),
    tenon::transform<ObservationNorm>("observation_norm",
                                      "observations less their running mean, over their "
                                      "running standard deviation"),
    tenon::transform<ObservationScale>("observation_scale", "observations less fixed numbers, over fixed numbers"),
    tenon::transform<Rename>("rename", "columns under other keys"),
    tenon::transform<RewardClip>("reward_clip", "rewards within two bounds"),
    tenon::transform<RewardScale>("reward_scale", "rewards times a factor, plus a constant"),
    tenon::transform<RewardSum>("reward_sum", "what the episode has brought so far"),
    tenon::transform<SelectColumns>("select_columns", "some observations only"),
    tenon::transform<SelectIndices>("select_indices", "some elements of an observation"),
    tenon::transform<StepCounter>("step_counter", "how many steps the episode has had"),
    tenon::transform<TimeLimit>("time_limit", "episodes end as truncated after so many steps"));
