// SPDX-License-Identifier: Apache-2.0
#include "shared/compare/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/random/key.hpp"

namespace tenon {
namespace {

// Indices from the words of consecutive blocks of a stream.
class Draws {
public:
    explicit Draws(tn_key key) : key_(key) {}

    std::size_t below(std::size_t count) {
        if (used_ == 4) {
            block_ = tn_philox(key_, counter_++);
            used_ = 0;
        }
        return tn_below(block_.word[used_++], static_cast<std::uint32_t>(count));
    }

private:
    tn_key key_;
    std::uint64_t counter_ = 0;
    tn_random_block block_{};
    std::size_t used_ = 4;
};

// Interpolates linearly between the two nearest values, as numpy's percentile does.
double quantile(const std::vector<double>& sorted, double fraction) {
    const double at = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(at));
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Estimate estimate(std::span<const Scores> samples, const std::function<double(std::span<const Scores>)>& statistic,
                  const Bootstrap& how) {
    Estimate out{.value = statistic(samples), .interval = std::nullopt};
    for (const Scores& scores : samples) {
        if (std::ranges::any_of(scores, [](const auto& task) { return task.size() < 2; })) {
            return out;
        }
    }
    Draws draws(make_key(0, how.stream));
    std::vector<Scores> drawn(samples.begin(), samples.end());
    std::vector<double> results(how.draws);
    for (double& result : results) {
        for (std::size_t i = 0; i < samples.size(); ++i) {
            for (std::size_t task = 0; task < samples[i].size(); ++task) {
                const std::vector<double>& from = samples[i][task];
                std::ranges::generate(drawn[i][task], [&] { return from[draws.below(from.size())]; });
            }
        }
        result = statistic(drawn);
    }
    std::ranges::sort(results);
    const double tail = (1 - how.size) / 2;
    out.interval = Interval{.low = quantile(results, tail), .high = quantile(results, 1 - tail)};
    return out;
}

Estimate estimate(const Scores& scores, const std::function<double(const Scores&)>& statistic, const Bootstrap& how) {
    return estimate(std::span(&scores, 1), [&](std::span<const Scores> one) { return statistic(one.front()); }, how);
}

}  // namespace tenon
