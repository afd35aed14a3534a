// SPDX-License-Identifier: Apache-2.0
#include "columns/cast.hpp"
#include "columns/exclude_columns.hpp"
#include "columns/rename.hpp"
#include "columns/select_columns.hpp"

TENON_CODE(tenon::TransformAdapter<Cast>);
TENON_CODE(tenon::TransformAdapter<ExcludeColumns>);
TENON_CODE(tenon::TransformAdapter<Rename>);
TENON_CODE(tenon::TransformAdapter<SelectColumns>);
