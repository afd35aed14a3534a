// SPDX-License-Identifier: Apache-2.0
#include "init_tracker.hpp"
#include "step_counter.hpp"
#include "time_limit.hpp"

TENON_CODE(tenon::TransformAdapter<InitTracker>);
TENON_CODE(tenon::TransformAdapter<StepCounter>);
TENON_CODE(tenon::TransformAdapter<TimeLimit>);
