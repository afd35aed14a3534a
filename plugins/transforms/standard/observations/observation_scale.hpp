// SPDX-License-Identifier: Apache-2.0
// Observations minus fixed numbers, divided by fixed numbers. The same as TorchRL's ObservationNorm(loc, scale,
// standard_normal=True).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tenon/transform.hpp"

struct ObservationScale {
    std::string column;
    std::vector<double> offset;
    std::vector<double> scale;

    static constexpr auto options = std::tuple{
        tenon::option<&ObservationScale::column>("column", "observation", "which observation"),
        tenon::option<&ObservationScale::offset>("offset", {0.0}, "(-inf,inf)",
                                                 "subtracted first: one number, or one per element"),
        tenon::option<&ObservationScale::scale>("scale", {1.0}, "(0,inf)",
                                                "divides the result: one number, or one per element"),
    };

    tenon::Spec change(tenon::Spec spec) {
        const auto size = static_cast<std::size_t>(spec.elements());
        for (auto* numbers : {&offset, &scale}) {
            if (numbers->size() != 1 && numbers->size() != size) {
                throw tenon::InvalidArgument(
                    "options 'offset' and 'scale' must have one number, or one for each of the " +
                    std::to_string(size) + " elements of '" + spec.key + "'");
            }
            numbers->resize(size, numbers->front());
        }
        for (auto* bounds : {&spec.low, &spec.high}) {
            bounds->resize(bounds->empty() ? 0 : size, bounds->empty() ? 0 : bounds->front());
            for (std::size_t i = 0; i < bounds->size(); ++i) {
                (*bounds)[i] = apply((*bounds)[i], i);
            }
        }
        spec.dtype = spec.dtype == TN_F64 ? TN_F64 : TN_F32;
        return spec;
    }

    [[nodiscard]] tenon::Arithmetic arithmetic(tenon::ColumnIndex /*which*/) const {
        return tenon::scaled(offset, scale);
    }
    [[nodiscard]] double apply(double x, std::size_t element) const { return (x - offset[element]) / scale[element]; }
};
