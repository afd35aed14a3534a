// SPDX-License-Identifier: Apache-2.0
#include "action_scale.hpp"
#include "as_real.hpp"
#include "cast.hpp"
#include "exclude_columns.hpp"
#include "flatten.hpp"
#include "frame_stack.hpp"
#include "grey.hpp"
#include "init_tracker.hpp"
#include "observation_norm.hpp"
#include "observation_scale.hpp"
#include "rename.hpp"
#include "resize.hpp"
#include "reward_clip.hpp"
#include "reward_scale.hpp"
#include "reward_sign.hpp"
#include "reward_sum.hpp"
#include "select_columns.hpp"
#include "select_indices.hpp"
#include "step_counter.hpp"
#include "time_limit.hpp"

// The code is in columns.cpp, episodes.cpp, images.cpp, observations.cpp and rewards.cpp.
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ActionScale>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<AsReal>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Cast>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ExcludeColumns>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Flatten>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<FrameStack>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Grey>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<InitTracker>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ObservationNorm>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ObservationScale>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Rename>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Resize>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardClip>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardScale>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardSign>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardSum>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<SelectColumns>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<SelectIndices>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<StepCounter>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<TimeLimit>);

TENON_PLUGIN(
    "standard", "0.1.0",
    tenon::transform<ActionScale>("action_scale", "rescales actions from the env's bounds to given ones"),
    tenon::transform_graph<AsReal>("as_real", "reads columns as real numbers, but stores them unchanged"),
    tenon::transform<Cast>("cast", "converts columns to another type"),
    tenon::transform<ExcludeColumns>("exclude_columns", "removes columns"),
    tenon::transform<Flatten>("flatten", "an observation of several dimensions as one row"),
    tenon::transform<FrameStack>("frame_stack", "stacks the last few observations"),
    tenon::transform<Grey>("grey", "the brightness of coloured images"),
    tenon::transform<InitTracker>("init_tracker", "a flag: whether the observation is the first of its episode"),
    tenon::transform<ObservationNorm>(
        "observation_norm", "observations minus their running mean, divided by their running standard deviation"),
    tenon::transform<ObservationScale>("observation_scale",
                                       "observations minus fixed numbers, divided by fixed numbers"),
    tenon::transform<Rename>("rename", "renames columns"), tenon::transform<Resize>("resize", "images in another size"),
    tenon::transform<RewardClip>("reward_clip", "clips rewards to bounds"),
    tenon::transform<RewardScale>("reward_scale", "rewards times a factor, plus a constant"),
    tenon::transform<RewardSign>("reward_sign", "the sign of rewards"),
    tenon::transform<RewardSum>("reward_sum", "the sum of the episode's rewards so far"),
    tenon::transform<SelectColumns>("select_columns", "keeps only some observations"),
    tenon::transform<SelectIndices>("select_indices", "keeps only some elements of an observation"),
    tenon::transform<StepCounter>("step_counter", "the number of steps in the episode so far"),
    tenon::transform<TimeLimit>("time_limit", "truncates episodes after a number of steps"));
