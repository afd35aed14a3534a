// SPDX-License-Identifier: Apache-2.0
#include "episodes/init_tracker.hpp"
#include "episodes/step_counter.hpp"
#include "episodes/time_limit.hpp"

TENON_CODE(tenon::TransformAdapter<InitTracker>);
TENON_CODE(tenon::TransformAdapter<StepCounter>);
TENON_CODE(tenon::TransformAdapter<TimeLimit>);
