// SPDX-License-Identifier: Apache-2.0
#include "rewards/reward_clip.hpp"
#include "rewards/reward_norm.hpp"
#include "rewards/reward_scale.hpp"
#include "rewards/reward_sign.hpp"
#include "rewards/reward_sum.hpp"

TENON_CODE(tenon::TransformAdapter<RewardClip>);
TENON_CODE(tenon::TransformAdapter<RewardNorm>);
TENON_CODE(tenon::TransformAdapter<RewardScale>);
TENON_CODE(tenon::TransformAdapter<RewardSign>);
TENON_CODE(tenon::TransformAdapter<RewardSum>);
