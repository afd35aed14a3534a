// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

TENON_CODE(tenon::GraphComponent<mlp::QValue>);
TENON_CODE(tenon::GraphComponent<mlp::StateValue>);
TENON_CODE(tenon::GraphComponent<mlp::Q>);
TENON_CODE(tenon::GraphComponent<mlp::JointQ>);
TENON_CODE(tenon::GraphComponent<mlp::QQuantiles>);
