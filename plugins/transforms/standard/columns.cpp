// SPDX-License-Identifier: Apache-2.0
#include "action_scale.hpp"
#include "cast.hpp"
#include "exclude_columns.hpp"
#include "rename.hpp"
#include "select_columns.hpp"

TENON_CODE(tenon::TransformAdapter<ActionScale>);
TENON_CODE(tenon::TransformAdapter<Cast>);
TENON_CODE(tenon::TransformAdapter<ExcludeColumns>);
TENON_CODE(tenon::TransformAdapter<Rename>);
TENON_CODE(tenon::TransformAdapter<SelectColumns>);
