// SPDX-License-Identifier: Apache-2.0
#include "actions/action_clip.hpp"
#include "actions/action_discretise.hpp"
#include "actions/action_flatten.hpp"
#include "actions/action_project.hpp"
#include "actions/action_scale.hpp"
#include "columns/cast.hpp"
#include "columns/exclude_columns.hpp"
#include "columns/rename.hpp"
#include "columns/select_columns.hpp"
#include "episodes/action_mask.hpp"
#include "episodes/init_tracker.hpp"
#include "episodes/previous_action.hpp"
#include "episodes/primer.hpp"
#include "episodes/step_counter.hpp"
#include "episodes/terminate.hpp"
#include "episodes/time_limit.hpp"
#include "episodes/trajectory_counter.hpp"
#include "images/centre_crop.hpp"
#include "images/crop.hpp"
#include "images/grey.hpp"
#include "images/random_crop.hpp"
#include "images/resize.hpp"
#include "observations/as_real.hpp"
#include "observations/cat_columns.hpp"
#include "observations/clip.hpp"
#include "observations/denormalise.hpp"
#include "observations/flatten.hpp"
#include "observations/frame_stack.hpp"
#include "observations/observation_delta.hpp"
#include "observations/observation_norm.hpp"
#include "observations/observation_scale.hpp"
#include "observations/permute.hpp"
#include "observations/select_indices.hpp"
#include "observations/squeeze.hpp"
#include "observations/time_max_pool.hpp"
#include "observations/unary.hpp"
#include "observations/unsqueeze.hpp"
#include "rewards/reward_binarise.hpp"
#include "rewards/reward_clip.hpp"
#include "rewards/reward_linearise.hpp"
#include "rewards/reward_norm.hpp"
#include "rewards/reward_scale.hpp"
#include "rewards/reward_sign.hpp"
#include "rewards/reward_success.hpp"
#include "rewards/reward_sum.hpp"
#include "rewards/target_return.hpp"

// The code is in the source of each folder.
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ActionClip>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ActionDiscretise>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ActionFlatten>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ActionMask>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ActionProject>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ActionScale>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<AsReal>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Cast>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<CatColumns>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<CentreCrop>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<Clip>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Crop>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Denormalise>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ExcludeColumns>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Flatten>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<FrameStack>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Grey>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<InitTracker>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ObservationDelta>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ObservationNorm>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<ObservationScale>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<Permute>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<PreviousAction>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Primer>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RandomCrop>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Rename>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Resize>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardBinarise>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardClip>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardLinearise>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardNorm>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardScale>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardSign>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardSuccess>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<RewardSum>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<SelectColumns>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<SelectIndices>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<Squeeze>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<StepCounter>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<TargetReturn>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<Terminate>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<TimeLimit>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<TimeMaxPool>);
TENON_CODE_ELSEWHERE(tenon::TransformAdapter<TrajectoryCounter>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<Unary>);
TENON_CODE_ELSEWHERE(tenon::GraphComponent<Unsqueeze>);

TENON_PLUGIN(
    "standard", "0.1.0",
    tenon::transform<ActionClip>("action_clip", "actions without bounds, clipped to those of the env"),
    tenon::transform<ActionDiscretise>("action_discretise", "choices of intervals in place of numbers between bounds"),
    tenon::transform<ActionFlatten>("action_flatten", "one action of one dimension in place of several"),
    tenon::transform<ActionMask>("action_mask", "the mask of an action from another column"),
    tenon::transform<ActionProject>("action_project", "more choices for the policy than the env has"),
    tenon::transform<ActionScale>("action_scale", "rescales actions from the env's bounds to given ones"),
    tenon::transform_graph<AsReal>("as_real", "reads columns as real numbers, but stores them unchanged"),
    tenon::transform<Cast>("cast", "converts columns to another type"),
    tenon::transform<CatColumns>("cat_columns", "joins numbers and vectors into one vector"),
    tenon::transform<CentreCrop>("centre_crop", "the middle of images"),
    tenon::transform_graph<Clip>("clip", "reads columns as real numbers within two bounds"),
    tenon::transform<Crop>("crop", "a rectangle of images"),
    tenon::transform<Denormalise>("denormalise", "the inverse of observation_norm, as a column of its own"),
    tenon::transform<ExcludeColumns>("exclude_columns", "removes columns"),
    tenon::transform<Flatten>("flatten", "an observation of several dimensions as one row"),
    tenon::transform<FrameStack>("frame_stack", "stacks the last few observations"),
    tenon::transform<Grey>("grey", "the brightness of coloured images"),
    tenon::transform<InitTracker>("init_tracker", "a flag: whether the observation is the first of its episode"),
    tenon::transform<ObservationDelta>("observation_delta", "how an observation differs from the one before it"),
    tenon::transform<ObservationNorm>(
        "observation_norm", "observations minus their running mean, divided by their running standard deviation"),
    tenon::transform<ObservationScale>("observation_scale",
                                       "observations minus fixed numbers, divided by fixed numbers"),
    tenon::transform_graph<Permute>("permute", "reads a column with its dimensions in another order"),
    tenon::transform<PreviousAction>("previous_action", "the action of the previous step, as an observation"),
    tenon::transform<Primer>("primer", "numbers set or drawn at the start of an episode"),
    tenon::transform<RandomCrop>("random_crop", "a rectangle of images, another one for every row"),
    tenon::transform<Rename>("rename", "renames columns"), tenon::transform<Resize>("resize", "images in another size"),
    tenon::transform<RewardBinarise>("reward_binarise", "whether rewards are above a number, as 1 or 0"),
    tenon::transform<RewardClip>("reward_clip", "clips rewards to bounds"),
    tenon::transform<RewardLinearise>("reward_linearise", "the weighted sum of a reward of several numbers"),
    tenon::transform<RewardNorm>("reward_norm",
                                 "rewards divided by the running standard deviation of their discounted sums"),
    tenon::transform<RewardScale>("reward_scale", "rewards times a factor, plus a constant"),
    tenon::transform<RewardSign>("reward_sign", "the sign of rewards"),
    tenon::transform<RewardSuccess>("reward_success", "a reward for success, which a column tells of"),
    tenon::transform<RewardSum>("reward_sum", "the sum of the episode's rewards so far"),
    tenon::transform<SelectColumns>("select_columns", "keeps only some observations"),
    tenon::transform<SelectIndices>("select_indices", "keeps only some elements of an observation"),
    tenon::transform_graph<Squeeze>("squeeze", "reads a column without a dimension of size 1"),
    tenon::transform<StepCounter>("step_counter", "the number of steps in the episode so far"),
    tenon::transform<TargetReturn>("target_return", "the return that is left to reach, as an observation"),
    tenon::transform<Terminate>("terminate", "ends episodes when a column compares with a number"),
    tenon::transform<TimeLimit>("time_limit", "truncates episodes after a number of steps"),
    tenon::transform<TimeMaxPool>("time_max_pool", "the greatest of the last few observations"),
    tenon::transform<TrajectoryCounter>("trajectory_counter", "the number of the episode"),
    tenon::transform_graph<Unary>("unary", "reads columns through a function of one number"),
    tenon::transform_graph<Unsqueeze>("unsqueeze", "reads a column with one more dimension, of size 1"));
