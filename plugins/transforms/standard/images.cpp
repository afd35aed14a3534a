// SPDX-License-Identifier: Apache-2.0
#include "grey.hpp"
#include "resize.hpp"

TENON_CODE(tenon::TransformAdapter<Grey>);
TENON_CODE(tenon::TransformAdapter<Resize>);
