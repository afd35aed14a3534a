// SPDX-License-Identifier: Apache-2.0
// Converts columns to another type, and actions back. Integers beyond 2^53 are rounded; a value that the type cannot
// represent becomes the nearest one that it can.
#pragma once

#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct Cast {
    std::vector<std::string> columns;
    std::string dtype;

    static constexpr auto options = std::tuple{
        tenon::required<&Cast::columns>("columns", "", "the keys of the columns"),
        tenon::option<&Cast::dtype>("dtype", "float32", "float32|float64|int64|int32|uint8|bool", "their new type"),
    };

    [[nodiscard]] tenon::Spec change(tenon::Spec spec) const {
        for (const std::int32_t code : {TN_F32, TN_F64, TN_I64, TN_I32, TN_U8, TN_BOOL}) {
            spec.dtype = dtype == tenon::dtype_name(code) ? code : spec.dtype;
        }
        if (spec.kind == TN_SPEC_CATEGORICAL) {  // which is an integer by definition
            return tenon::bounded(spec.key, spec.shape, 0, spec.categories[0] - 1, spec.dtype);
        }
        return spec;
    }

    static double apply(double x) { return x; }
    static double invert(double x) { return x; }
};
