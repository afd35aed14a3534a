// SPDX-License-Identifier: Apache-2.0
#include "observations/as_real.hpp"
#include "observations/flatten.hpp"
#include "observations/frame_stack.hpp"
#include "observations/observation_norm.hpp"
#include "observations/observation_scale.hpp"
#include "observations/select_indices.hpp"

TENON_CODE(tenon::GraphComponent<AsReal>);
TENON_CODE(tenon::TransformAdapter<Flatten>);
TENON_CODE(tenon::TransformAdapter<FrameStack>);
TENON_CODE(tenon::TransformAdapter<ObservationNorm>);
TENON_CODE(tenon::TransformAdapter<ObservationScale>);
TENON_CODE(tenon::TransformAdapter<SelectIndices>);
