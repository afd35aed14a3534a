// SPDX-License-Identifier: Apache-2.0
#include "observations/as_real.hpp"
#include "observations/cat_columns.hpp"
#include "observations/clip.hpp"
#include "observations/denormalise.hpp"
#include "observations/flatten.hpp"
#include "observations/frame_stack.hpp"
#include "observations/observation_delta.hpp"
#include "observations/observation_norm.hpp"
#include "observations/observation_scale.hpp"
#include "observations/permute.hpp"
#include "observations/select_indices.hpp"
#include "observations/squeeze.hpp"
#include "observations/time_max_pool.hpp"
#include "observations/unary.hpp"
#include "observations/unsqueeze.hpp"

TENON_CODE(tenon::GraphComponent<AsReal>);
TENON_CODE(tenon::TransformAdapter<CatColumns>);
TENON_CODE(tenon::GraphComponent<Clip>);
TENON_CODE(tenon::TransformAdapter<Denormalise>);
TENON_CODE(tenon::TransformAdapter<Flatten>);
TENON_CODE(tenon::TransformAdapter<FrameStack>);
TENON_CODE(tenon::TransformAdapter<ObservationDelta>);
TENON_CODE(tenon::TransformAdapter<ObservationNorm>);
TENON_CODE(tenon::TransformAdapter<ObservationScale>);
TENON_CODE(tenon::GraphComponent<Permute>);
TENON_CODE(tenon::TransformAdapter<SelectIndices>);
TENON_CODE(tenon::GraphComponent<Squeeze>);
TENON_CODE(tenon::TransformAdapter<TimeMaxPool>);
TENON_CODE(tenon::GraphComponent<Unary>);
TENON_CODE(tenon::GraphComponent<Unsqueeze>);
