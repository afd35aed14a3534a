// SPDX-License-Identifier: Apache-2.0
// How many values of a column are in each of several bins, over all elements of each round's frames.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>

#include "bins.hpp"
#include "tenon/hook.hpp"

struct Histogram {
    std::string column;
    std::int64_t bins;
    double low;
    double high;

    static constexpr auto options =
        std::tuple{tenon::option<&Histogram::column>("column", "next.reward", "the column of collected frames"),
                   tenon::option<&Histogram::bins>("bins", 10, "[1,1000]", "number of bins"),
                   tenon::option<&Histogram::low>("low", -1.0, "", "lower bound of the first bin"),
                   tenon::option<&Histogram::high>("high", 1.0, "", "upper bound of the last bin")};

    [[nodiscard]] tenon::HookPlan plan() const {
        return {.columns = {column}, .metrics = Bins::metrics(bins, low, high)};
    }

    void collected(const tenon::HookCall& run) const {
        const tenon::HookFrames round = run.round();
        const std::size_t elements = round.elements(0);
        counts_.begin(bins, low, high);
        round.each([&](tenon::SlotLane at) {
            for (std::size_t element = 0; element < elements; ++element) {
                counts_.add(round.value(0, at, element));
            }
        });
        counts_.report(run);
    }

private:
    mutable Bins counts_;  // of one round
};
