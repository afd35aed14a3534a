// SPDX-License-Identifier: Apache-2.0
#include "actions/action_scale.hpp"

TENON_CODE(tenon::TransformAdapter<ActionScale>);
