// SPDX-License-Identifier: Apache-2.0
#include "features.hpp"

TENON_CODE(tenon::GraphComponent<mlp::Features>);
