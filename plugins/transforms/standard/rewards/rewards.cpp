// SPDX-License-Identifier: Apache-2.0
#include "rewards/reward_binarise.hpp"
#include "rewards/reward_clip.hpp"
#include "rewards/reward_linearise.hpp"
#include "rewards/reward_norm.hpp"
#include "rewards/reward_scale.hpp"
#include "rewards/reward_sign.hpp"
#include "rewards/reward_success.hpp"
#include "rewards/reward_sum.hpp"
#include "rewards/target_return.hpp"

TENON_CODE(tenon::TransformAdapter<RewardBinarise>);
TENON_CODE(tenon::TransformAdapter<RewardClip>);
TENON_CODE(tenon::TransformAdapter<RewardLinearise>);
TENON_CODE(tenon::TransformAdapter<RewardNorm>);
TENON_CODE(tenon::TransformAdapter<RewardScale>);
TENON_CODE(tenon::TransformAdapter<RewardSign>);
TENON_CODE(tenon::TransformAdapter<RewardSuccess>);
TENON_CODE(tenon::TransformAdapter<RewardSum>);
TENON_CODE(tenon::TransformAdapter<TargetReturn>);
