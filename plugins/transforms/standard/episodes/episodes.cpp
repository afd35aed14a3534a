// SPDX-License-Identifier: Apache-2.0
#include "episodes/action_mask.hpp"
#include "episodes/init_tracker.hpp"
#include "episodes/previous_action.hpp"
#include "episodes/primer.hpp"
#include "episodes/step_counter.hpp"
#include "episodes/terminate.hpp"
#include "episodes/time_limit.hpp"
#include "episodes/trajectory_counter.hpp"

TENON_CODE(tenon::TransformAdapter<ActionMask>);
TENON_CODE(tenon::TransformAdapter<InitTracker>);
TENON_CODE(tenon::TransformAdapter<PreviousAction>);
TENON_CODE(tenon::TransformAdapter<Primer>);
TENON_CODE(tenon::TransformAdapter<StepCounter>);
TENON_CODE(tenon::TransformAdapter<Terminate>);
TENON_CODE(tenon::TransformAdapter<TimeLimit>);
TENON_CODE(tenon::TransformAdapter<TrajectoryCounter>);
