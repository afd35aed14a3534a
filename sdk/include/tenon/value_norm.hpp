// SPDX-License-Identifier: Apache-2.0
// Normalised value targets: the value network learns numbers of mean 0 and deviation 1, whatever the scale of returns.
// Its output is in units of the deviation from a running mean of its targets; both moments are states of the objective.
// value_of returns values in the returns' own units. With popart (van Hasselt et al. 2016) the last layer is rewritten
// whenever the moments change, so that the values stay the same; with running the network has to relearn them. With
// percentiles values are divided by the range of most targets, as the third Dreamer does.
#pragma once

#include <source_location>
#include <string>
#include <tuple>
#include <utility>

#include "tenon/build.hpp"
#include "tenon/options.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct ValueNorm {
    std::string value_normalisation;

    // The value of a batch by the value network, in units of returns.
    [[nodiscard]] Value value_of(const Graph& g, const Batch& batch,
                                 std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        const Value out = g.network("value")(batch).value();
        return by_percentiles() ? value_range(g) * out
               : normalises()   ? value_mean(g) + value_deviation(value_variance(g)) * out
                                : out;
    }

    // Returns in the network's normalised units.
    [[nodiscard]] Value as_put_out(const Graph& g, Value returns,
                                   std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        return by_percentiles() ? returns / value_range(g)
               : normalises()   ? (returns - value_mean(g)) / value_deviation(value_variance(g))
                                : returns;
    }

    // In prepare: updates the moments with a batch's targets; the weight of older rows is multiplied by value_decay
    // (Chan et al. 1979, which avoids squares of large numbers).
    void follow(const Graph& g, Value targets, std::source_location at = std::source_location::current()) const {
        const detail::CalledFrom caller(at);
        if (!normalises()) {
            return;
        }
        if (by_percentiles()) {
            const Value rate = g.option("value_rate");
            for (const auto& [name, share] : {std::pair{"value_low", 0.05}, std::pair{"value_high", 0.95}}) {
                const Value old = g.state(name, {}, zeros());
                g.set(name, old + rate * (batch_quantile(targets, share) - old));
            }
            g.metric("value_range", value_range(g));
            return;
        }
        const Value before = g.option("value_decay") * g.state("value_count", {}, zeros());
        const Value rows = batch_count(targets);
        const Value count = before + rows;
        const Value batch_mean = tenon::batch_mean(targets);
        const Value moved = batch_mean - value_mean(g);
        const Value new_mean = value_mean(g) + moved * (rows / count);
        const Value spread = before * value_variance(g) + rows * tenon::batch_mean(square(targets - batch_mean));
        const Value new_variance = (spread + square(moved) * (before * (rows / count))) / count;
        g.set("value_count", count);
        g.set("value_mean", new_mean);
        g.set("value_variance", new_variance);
        g.metric("value_mean", new_mean);
        g.metric("value_deviation", value_deviation(new_variance));
        if (value_normalisation == "popart") {
            const Value now = value_deviation(new_variance);
            const Value factor = value_deviation(value_variance(g)) / now;
            static_cast<void>(
                g.network("value")(g.batch()).call<0>("rescale", {factor, (value_mean(g) - new_mean) / now}));
        }
    }

    static constexpr auto options =
        std::tuple{option<&ValueNorm::value_normalisation>(
                       "value_normalisation", "none", "none|running|popart|percentiles",
                       "whether values are normalised by running moments of their targets; popart: the network's "
                       "last layer is rescaled too; percentiles: values are only divided, by the range between the 5th "
                       "and the 95th, which is at least 1"),
                   live("value_decay", 1.0, "[0,1]", "decay of earlier targets in these moments, per batch; 1: none"),
                   live("value_rate", 0.01, "[0,1]", "share by which the percentiles follow those of a batch")};

private:
    [[nodiscard]] bool normalises() const { return value_normalisation != "none"; }
    [[nodiscard]] bool by_percentiles() const { return value_normalisation == "percentiles"; }
    [[nodiscard]] static Value value_range(const Graph& g) {
        return max(g.state("value_high", {}, zeros()) - g.state("value_low", {}, zeros()), 1.0);
    }
    [[nodiscard]] static Value value_mean(const Graph& g) { return g.state("value_mean", {}, zeros()); }
    [[nodiscard]] static Value value_variance(const Graph& g) { return g.state("value_variance", {}, constant(1)); }
    [[nodiscard]] static Value value_deviation(Value variance) { return sqrt(max(variance, 1e-8)); }
};

}  // namespace TENON_SDK
}  // namespace tenon
