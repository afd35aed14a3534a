// SPDX-License-Identifier: Apache-2.0
// Replay of transitions in proportion to a stored column: (max(value - floor, 0) + eps)^alpha. The column is read once,
// when the transition is complete.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "by_priority.hpp"
#include "n_step.hpp"

class ByColumn : public ByPriority, public NStep {
public:
    void setup() const {
        constexpr std::string_view kNext = "next.";
        if (column_.starts_with(kNext)) {
            throw tenon::InvalidArgument("column is \"" + column_ + "\", but columns are stored without next.: \"" +
                                         column_.substr(kNext.size()) + "\"");
        }
    }

    [[nodiscard]] tenon::SamplerPlan plan() const {
        tenon::SamplerPlan out{.gathers = {{.source = "*"}}};
        if (beta_ > 0) {
            out.columns.push_back({.key = "weight"});
        }
        return tenon::with_steps(std::move(out), steps);
    }
    [[nodiscard]] std::vector<tenon::ReadColumn> reads() const {
        std::vector<tenon::ReadColumn> out = NStep::reads();
        out.insert(out.begin(), {.key = column_});
        return out;
    }

    void sample(tenon::Rng& rng, const tenon::Transitions& buffer, const tenon::SampleRows& rows) {
        begin(buffer);
        follow(
            buffer,
            [&](tenon::SlotLane at, std::uint32_t /*lane*/, Item /*newest*/) { put(at, item_of(worth(buffer, at))); },
            [](std::uint32_t /*lane*/) {});
        draw(rng, rows.size());
        const std::size_t weights = beta_ > 0 ? 1 : 0;
        const std::span<float> real = steps > 1 ? rows.column<float>(weights) : std::span<float>();
        const Until leaving{until, 1};
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            set_steps(buffer, rows, row, drawn(row), steps, real, leaving);
        }
        if (beta_ > 0) {
            weigh(rows.column<float>(0));
        }
    }

    void state(tenon::Archive& archive) { archive_items(archive); }

private:
    [[nodiscard]] double worth(const tenon::Transitions& buffer, tenon::SlotLane at) const {
        const double value = buffer.number(at);
        if (!std::isfinite(value)) {
            throw tenon::InvalidArgument("'" + column_ + "' is " + (std::isnan(value) ? "NaN" : "infinite") +
                                         " in slot " + std::to_string(at.slot) + " of lane " + std::to_string(at.lane) +
                                         "; rows are drawn in proportion to it");
        }
        return std::max(value - floor_, 0.0);
    }

    std::string column_;
    double floor_ = 0;

public:
    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::required<&ByColumn::column_>("column", "", "the column of one number, as it is stored: \"reward\""),
            tenon::option<&ByColumn::floor_>("floor", 0.0, "(-inf,inf)",
                                             "values up to this one count as 0; where all do, rows are drawn evenly"),
            tenon::live<&ByColumn::alpha_>("alpha", 1.0, "[0,10]", "exponent of the values: 0 samples uniformly"),
            tenon::option<&ByColumn::beta_>("beta", 0.0, "[0,1]",
                                            "exponent of the importance weights: 1 corrects the sampling fully, 0 "
                                            "gives rows no weights"),
            tenon::option<&ByColumn::eps_>("eps", 1e-3, "(0,inf)",
                                           "added to every value, so that each row may be drawn"),
            tenon::option<&ByColumn::stratified_>(
                "stratified", false, "",
                "row i of n draws from the i-th of n equal parts of the sum of all weights, in place of all of it")},
        NStep::options);
};
