// SPDX-License-Identifier: Apache-2.0
// A learning rate that follows the divergence of the policy from the one that collected, as the adaptive schedule of
// RSL-RL and of rl_games does: after an update whose divergence is above `tolerance` times the target, the rate is
// divided by `factor`; below the target divided by `tolerance`, it is multiplied by it.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>

#include "tenon/hook.hpp"

struct KlAdaptiveLr {
    double target;
    double tolerance;
    double factor;
    double least;
    double most;
    std::string metric;
    std::string option;

    static constexpr auto options = std::tuple{
        tenon::live<&KlAdaptiveLr::target>("target", 0.01, "(0,inf)", "the divergence to keep; can be scheduled"),
        tenon::option<&KlAdaptiveLr::tolerance>("tolerance", 2.0, "[1,inf)", "factor above or below it that is left"),
        tenon::option<&KlAdaptiveLr::factor>("factor", 1.5, "(1,inf)", "factor of one change of the rate"),
        tenon::option<&KlAdaptiveLr::least>("least", 1e-5, "(0,inf)", "the smallest rate"),
        tenon::option<&KlAdaptiveLr::most>("most", 1e-2, "(0,inf)", "the largest rate"),
        tenon::option<&KlAdaptiveLr::metric>("metric", "train/approx_kl", "the metric of the divergence"),
        tenon::option<&KlAdaptiveLr::option>("option", "optimiser.lr", "the path of the rate that it moves")};

    void setup() const {
        if (least > most) {
            throw tenon::InvalidArgument("option 'least' is above option 'most'");
        }
    }

    [[nodiscard]] tenon::HookPlan plan() const { return {.reads = {metric}, .moves = {option}}; }

    void updated(const tenon::HookCall& run) const {
        if (!run.has_metric(0)) {
            return;
        }
        const double divergence = run.metric(0);
        const double rate = run.option(0);
        if (divergence > target * tolerance) {
            run.move(0, std::max(rate / factor, least));
        } else if (divergence > 0 && divergence < target / tolerance) {
            run.move(0, std::min(rate * factor, most));
        }
    }
};
