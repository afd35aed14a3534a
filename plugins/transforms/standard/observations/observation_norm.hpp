// SPDX-License-Identifier: Apache-2.0
// Observations minus their mean, divided by their standard deviation, both over all observations of all lanes so far.
// Like TorchRL's VecNormV2 with decay 1, but a step uses the statistics before it, so that no lane waits for another.
// Observations in a buffer keep the normalisation they had when they were made.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "observations/moments.hpp"
#include "tenon/transform.hpp"

struct ObservationNorm {
    std::string column;
    double clip;
    double epsilon;
    std::int64_t freeze_after;
    Moments seen;
    std::vector<double> std;

    static constexpr auto options = std::tuple{
        tenon::option<&ObservationNorm::column>("column", "observation", "which observation"),
        tenon::option<&ObservationNorm::clip>("clip", 10.0, "(0,inf)", "results are clipped to [-clip, clip]"),
        tenon::option<&ObservationNorm::epsilon>("epsilon", 1e-4, "(0,inf)", "the smallest standard deviation"),
        tenon::option<&ObservationNorm::freeze_after>("freeze_after", 0, "[0,inf)",
                                                      "observations after which the statistics are frozen; 0: never"),
    };
    struct Lane : Moments {  // statistics since the last gather: always empty when saved
        static void state(tenon::Archive& /*archive*/) {}
    };

    tenon::Spec change(const tenon::Spec& spec) {
        seen = Moments(static_cast<std::size_t>(spec.elements()));
        std.assign(seen.mean.size(), 1);
        return tenon::bounded(spec.key, spec.shape, -clip, clip, spec.dtype == TN_F64 ? TN_F64 : TN_F32);
    }

    double apply(Lane& lane, double x, std::size_t element) const {
        if (freeze_after == 0 || seen.rows < freeze_after) {
            lane.add(element, std.size(), x);
        }
        return std::clamp((x - seen.mean[element]) / std[element], -clip, clip);
    }

    void gather(std::span<Lane> lanes) {
        std::ranges::for_each(lanes, [&](Lane& lane) { seen.take(lane); });
        for (std::size_t i = 0; i < std.size() && seen.rows > 0; ++i) {
            std[i] = std::max(std::sqrt(seen.squares[i] / static_cast<double>(seen.rows)), epsilon);
        }
    }

    void state(tenon::Archive& archive) {
        seen.state(archive);
        gather({});
    }
};
