// SPDX-License-Identifier: Apache-2.0
#include "as_real.hpp"
#include "flatten.hpp"
#include "frame_stack.hpp"
#include "observation_norm.hpp"
#include "observation_scale.hpp"
#include "select_indices.hpp"

TENON_CODE(tenon::GraphComponent<AsReal>);
TENON_CODE(tenon::TransformAdapter<Flatten>);
TENON_CODE(tenon::TransformAdapter<FrameStack>);
TENON_CODE(tenon::TransformAdapter<ObservationNorm>);
TENON_CODE(tenon::TransformAdapter<ObservationScale>);
TENON_CODE(tenon::TransformAdapter<SelectIndices>);
