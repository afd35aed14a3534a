// SPDX-License-Identifier: Apache-2.0
#include "distributional.hpp"

TENON_CODE(tenon::GraphComponent<mlp::C51>);
TENON_CODE(tenon::GraphComponent<mlp::Quantiles>);
