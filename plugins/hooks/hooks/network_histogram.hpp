// SPDX-License-Identifier: Apache-2.0
// How many parameters of a network, or elements of their gradients, are in each of several bins, every so many updates.
#pragma once

#include <string>
#include <tuple>

#include "bins.hpp"
#include "tenon/hook.hpp"

struct NetworkHistogram {
    std::string network;
    std::string of;
    std::int64_t every;
    std::int64_t bins;
    double low;
    double high;

    static constexpr auto options = std::tuple{
        tenon::option<&NetworkHistogram::network>("network", "actor", "the network, by the NAME of its [policy.NAME]"),
        tenon::option<&NetworkHistogram::of>(
            "of", "gradients", "gradients|parameters",
            "what is counted: the gradients of the newest step as the optimiser has used them, or the parameters"),
        tenon::option<&NetworkHistogram::every>("every", 100, "[1,1e9]", "updates between counts"),
        tenon::option<&NetworkHistogram::bins>("bins", 10, "[1,1000]", "number of bins"),
        tenon::option<&NetworkHistogram::low>("low", -0.1, "", "lower bound of the first bin"),
        tenon::option<&NetworkHistogram::high>("high", 0.1, "", "upper bound of the last bin")};

    [[nodiscard]] tenon::HookPlan plan() const {
        return {.metrics = Bins::metrics(bins, low, high), .networks = {network}};
    }

    void updated(const tenon::HookCall& run) const {
        if (run.updates() % static_cast<std::uint64_t>(every) != 0) {
            return;
        }
        counts_.begin(bins, low, high);
        const auto count = [&](double value) { counts_.add(value); };
        const tenon::HookNetwork read = run.network(0);
        of == "gradients" ? read.each_gradient(count) : read.each_parameter(count);
        counts_.report(run);
    }

private:
    mutable Bins counts_;  // of one update
};
