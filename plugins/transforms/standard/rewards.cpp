// SPDX-License-Identifier: Apache-2.0
#include "reward_clip.hpp"
#include "reward_scale.hpp"
#include "reward_sign.hpp"
#include "reward_sum.hpp"

TENON_CODE(tenon::TransformAdapter<RewardClip>);
TENON_CODE(tenon::TransformAdapter<RewardScale>);
TENON_CODE(tenon::TransformAdapter<RewardSign>);
TENON_CODE(tenon::TransformAdapter<RewardSum>);
