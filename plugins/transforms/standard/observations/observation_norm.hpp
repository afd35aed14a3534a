// SPDX-License-Identifier: Apache-2.0
// Observations minus their mean, divided by their standard deviation, both over all observations of all lanes so far.
// Like TorchRL's VecNormV2, but a step uses the statistics before it, so that no lane waits for another. Observations
// in a buffer keep the normalisation they had when they were made.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "observations/normalisation.hpp"
#include "observations/shown_statistics.hpp"
#include "tenon/transform.hpp"

struct ObservationNorm {
    std::string column;
    std::vector<std::string> columns;
    double clip;
    double epsilon;
    double decay;
    std::int64_t warm_up;
    std::int64_t freeze_after;
    bool statistics;
    std::vector<Normalisation> of;  // each column
    ShownStatistics shown;

    static constexpr auto options = std::tuple{
        tenon::option<&ObservationNorm::column>("column", "observation", "which observation"),
        tenon::option<&ObservationNorm::columns>("columns", {}, "", "which observations, in place of 'column'"),
        tenon::option<&ObservationNorm::clip>("clip", 10.0, "(0,inf)", "results are clipped to [-clip, clip]"),
        tenon::option<&ObservationNorm::epsilon>("epsilon", 1e-4, "(0,inf)", "the smallest standard deviation"),
        tenon::option<&ObservationNorm::decay>("decay", 1.0, "(0,1]",
                                               "what each observation leaves of the weight of earlier ones"),
        tenon::option<&ObservationNorm::warm_up>("warm_up", 0, "[0,inf)",
                                                 "observations that are only clipped, before the first normalised one"),
        tenon::option<&ObservationNorm::freeze_after>("freeze_after", 0, "[0,inf)",
                                                      "observations after which the statistics are frozen; 0: never"),
        tenon::option<&ObservationNorm::statistics>("statistics", false,
                                                    "adds the columns KEY_mean and KEY_std, for standard/denormalise"),
    };
    struct Lane : Moments {  // statistics since the last gather, which its part has
        static void state(tenon::Archive& /*archive*/) {}
    };

    void setup() {
        if (!columns.empty() && column != "observation") {
            throw tenon::InvalidArgument("options 'column' and 'columns' are both set; list all keys in 'columns'");
        }
        columns = columns.empty() ? std::vector{column} : columns;
        of.resize(columns.size());
    }

    tenon::Spec change(const tenon::Spec& spec) {
        const auto which = std::ranges::find(columns, spec.key) - columns.begin();
        of[static_cast<std::size_t>(which)] = Normalisation(static_cast<std::size_t>(spec.elements()));
        return tenon::bounded(spec.key, spec.shape, -clip, clip, spec.dtype == TN_F64 ? TN_F64 : TN_F32);
    }

    void wire(tenon::TransformSpecs& specs) {
        if (statistics) {
            shown.wire(specs, columns);
        }
    }
    void begin(const tenon::TransformRow& row) const { shown.show(row, of); }
    void step(const tenon::TransformRow& row) const { shown.show(row, of); }

    double apply(Lane& lane, double x, std::size_t element, tenon::ColumnIndex which) const {
        const Normalisation& by = of[which.value];
        if (freeze_after == 0 || by.seen.rows < freeze_after) {
            lane.add(element, by.mean.size(), x);
        }
        return std::clamp((x - by.mean[element]) / by.std[element], -clip, clip);
    }

    [[nodiscard]] tenon::Arithmetic arithmetic(tenon::ColumnIndex which) const {
        return tenon::scaled(of[which.value].mean, of[which.value].std, -clip, clip);
    }

    void gather(std::span<Lane> lanes) {
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            Moments& all = of[i % of.size()].seen;
            if (lanes[i].rows > 0 && lanes[i].mean.size() != all.mean.size()) {
                throw tenon::DataLoss("what another process has seen does not fit the columns");
            }
            all.take(lanes[i], decay);
        }
        std::ranges::for_each(of, [&](Normalisation& each) { each.update(epsilon, warm_up); });
    }

    void state(tenon::Archive& archive) {
        std::ranges::for_each(of, [&](Normalisation& each) { each.seen.state(archive, decay); });
        gather({});
    }
};
