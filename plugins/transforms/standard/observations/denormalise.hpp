// SPDX-License-Identifier: Apache-2.0
// The inverse of observation_norm, as a column of its own: what it normalised, times the standard deviation, plus the
// mean of that row. The same as denorm of TorchRL's VecNormV2, but with the statistics that each row was normalised by.
// What observation_norm has clipped stays clipped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "tenon/transform.hpp"

struct Denormalise {
    std::string column;
    std::string mean_key;
    std::string std_key;
    std::string to;
    tenon::Port x;
    tenon::Port mean;
    tenon::Port std;
    tenon::Port out;

    static constexpr auto options = std::tuple{
        tenon::option<&Denormalise::column>("column", "observation", "a column of an observation_norm"),
        tenon::option<&Denormalise::mean_key>("mean", "", "the column of means; none: 'column' with _mean"),
        tenon::option<&Denormalise::std_key>("std", "", "the column of deviations; none: 'column' with _std"),
        tenon::option<&Denormalise::to>("to", "observation_raw", "the key of the result"),
    };

    void setup() {
        mean_key = mean_key.empty() ? column + "_mean" : mean_key;
        std_key = std_key.empty() ? column + "_std" : std_key;
    }

    void wire(tenon::TransformSpecs& specs) {
        for (const std::string& key : {mean_key, std_key}) {
            if (std::ranges::find(specs.inner(), key, &tenon::Spec::key) == specs.inner().end()) {
                throw tenon::InvalidArgument("there is no column '" + key +
                                             "': set statistics = true in the observation_norm of '" + column + "'");
            }
        }
        specs.read(x, column);
        specs.read(mean, mean_key);
        specs.read(std, std_key);
        for (const tenon::Port* each : {&x, &std}) {
            if (each->spec.shape != mean.spec.shape || each->spec.dtype != mean.spec.dtype) {
                throw tenon::InvalidArgument("columns '" + column + "', '" + mean.spec.key + "' and '" + std.spec.key +
                                             "' differ in shape or type: they are not of one observation_norm");
            }
        }
        specs.add(out, tenon::unbounded(to, x.spec.shape, x.spec.dtype));
    }

    void begin(const tenon::TransformRow& row) const { step(row); }
    void step(const tenon::TransformRow& row) const {
        if (x.spec.dtype == TN_F64) {
            invert<double>(row);
        } else {
            invert<float>(row);
        }
    }

private:
    template <class E>
    void invert(const tenon::TransformRow& row) const {
        const auto to_row = row.row<E>(out);
        for (std::size_t i = 0; i < to_row.size(); ++i) {
            to_row[i] = row.row<const E>(x)[i] * row.row<const E>(std)[i] + row.row<const E>(mean)[i];
        }
    }
};
