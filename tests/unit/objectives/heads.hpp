// SPDX-License-Identifier: Apache-2.0
// The heads that the tests of heads.hpp go through, with the columns that each is read from, and measures of how their
// draws are spread.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "assembly.hpp"

namespace tenon::test {

struct HeadCase {
    std::string name;                     // of its golden case
    std::string author;                   // in head_authors.hpp
    std::vector<std::string> parameters;  // columns, each again under "other."
    std::int64_t width;                   // of a parameter's rows
    graph::Column action;
    bool discrete = true;
};

inline const std::vector<double> kActionLow = {-2, 0.25, -1};
inline const std::vector<double> kActionHigh = {0.5, 4, 1};

inline std::vector<HeadCase> head_cases() {
    const std::vector<std::string> logits = {"logits"};
    const std::vector<std::string> loc_scale = {"loc", "scale"};
    return {{"categorical", "CategoricalHead", logits, 5, categorical_column("action", 5)},
            {"one_hot", "OneHotHead", logits, 5, one_hot_column("action", 5)},
            {"ordinal", "OrdinalHead", logits, 5, categorical_column("action", 5)},
            {"multi_categorical", "MultiCategoricalHead", logits, 9, multi_categorical_column("action", {3, 2, 4})},
            {"bernoulli", "BernoulliHead", logits, 3, flag_column("action", {3})},
            {"normal", "NormalHead", loc_scale, 3, real_column("action", {3}), false},
            {"tanh_normal", "TanhNormalHead", loc_scale, 3, bounded_column("action", kActionLow, kActionHigh), false},
            {"truncated_normal", "TruncatedNormalHead", loc_scale, 3, bounded_column("action", kActionLow, kActionHigh),
             false}};
}

inline Plan plan_of(const HeadCase& head, DType real = DType::kF64, std::vector<graph::Column> more = {}) {
    std::vector<graph::Column> columns = std::move(more);
    columns.push_back(head.action);
    for (const std::string& parameter : head.parameters) {
        columns.push_back(real_column(parameter, {head.width}));
        columns.push_back(real_column("other." + parameter, {head.width}));
    }
    return {
        .columns = std::move(columns), .networks = {}, .objective = "test/" + head.author, .options = {}, .real = real};
}

// Scales are between a fifth and one and a half; logits and locations are standard normal, but the locations of a
// truncated normal are within the bounds.
inline void make_parameters(const HeadCase& head, FilledBatch& batch) {
    const auto into_bounds = [&](std::size_t i, double x) {
        const Spec& spec = head.action.spec;
        return spec.low_of(i) + (spec.high_of(i) - spec.low_of(i)) / (1 + std::exp(-x));
    };
    for (const std::string& parameter : head.parameters) {
        for (const std::string& key : {parameter, "other." + parameter}) {
            std::vector<double> values = batch[key];
            for (std::size_t i = 0; i < values.size(); ++i) {
                const double x = values[i];
                const bool truncated = head.name == "truncated_normal" && parameter == "loc";
                values[i] = truncated ? into_bounds(i % 3, x) : parameter == "scale" ? 0.2 + 1.3 / (1 + x * x) : x;
            }
            batch.set(key, values);
        }
    }
}

// The first row in all rows.
inline void repeat_first_row(const HeadCase& head, FilledBatch& batch) {
    for (const std::string& parameter : head.parameters) {
        for (const std::string& key : {parameter, "other." + parameter}) {
            const std::vector<double> row = batch.row(key, 0);
            std::vector<double> values;
            for (std::size_t i = 0; i < batch.rows(); ++i) {
                values.insert(values.end(), row.begin(), row.end());
            }
            batch.set(key, values);
        }
    }
}

// The largest distance between the share of values below x and a distribution function there.
template <class Distribution>
double kolmogorov_distance(std::vector<double> values, Distribution below) {
    std::ranges::sort(values);
    const auto n = static_cast<double>(values.size());
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = below(values[i]);
        worst = std::max({worst, expected - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - expected});
    }
    return worst;
}

struct Mean {
    double value = 0;
    double error = 0;  // standard
};

inline Mean mean_of(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    Mean out;
    for (const double x : values) {
        out.value += x / n;
    }
    double variance = 0;
    for (const double x : values) {
        variance += (x - out.value) * (x - out.value) / (n - 1);
    }
    out.error = std::sqrt(variance / n);
    return out;
}

}  // namespace tenon::test
