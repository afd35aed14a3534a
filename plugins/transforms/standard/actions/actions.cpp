// SPDX-License-Identifier: Apache-2.0
#include "actions/action_clip.hpp"
#include "actions/action_discretise.hpp"
#include "actions/action_flatten.hpp"
#include "actions/action_project.hpp"
#include "actions/action_scale.hpp"

TENON_CODE(tenon::TransformAdapter<ActionClip>);
TENON_CODE(tenon::TransformAdapter<ActionDiscretise>);
TENON_CODE(tenon::TransformAdapter<ActionFlatten>);
TENON_CODE(tenon::TransformAdapter<ActionProject>);
TENON_CODE(tenon::TransformAdapter<ActionScale>);
