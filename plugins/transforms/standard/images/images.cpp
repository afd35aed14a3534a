// SPDX-License-Identifier: Apache-2.0
#include "images/grey.hpp"
#include "images/resize.hpp"

TENON_CODE(tenon::TransformAdapter<Grey>);
TENON_CODE(tenon::TransformAdapter<Resize>);
