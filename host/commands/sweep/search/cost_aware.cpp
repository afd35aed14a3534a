// SPDX-License-Identifier: Apache-2.0
// Cost-aware search. The front has the points that no cheaper one beats. Candidates are drawn around points of the
// front, because good points of similar cost are near each other. Two Gaussian processes predict a candidate's loss and
// cost. It is worth its expected improvement over the front at the predicted cost, so that a cheap point is compared
// with cheap ones only, times the probability that it costs no more than a budget, which differs from point to point.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "commands/sweep/search/draws.hpp"
#include "commands/sweep/search/gaussian_process.hpp"
#include "commands/sweep/search/search.hpp"

namespace tenon {
namespace {

constexpr std::size_t kDraws = 100;  // the best of this many draws is taken
// the surrogates are fitted to this many of the latest points, and to the front
constexpr std::size_t kMostKnown = 200;
constexpr double kRadius = 0.2;  // of draws around a point of the front, as a share of each range
constexpr double kOtherChoice = 0.2;

double log_cost(const Observation& observation) {
    return std::log(std::max(observation.cost, 1e-3));  // times are measured to milliseconds
}

// Ranges by position. Two choices are as far apart as the ends of a range.
std::vector<double> features(const Space& space, const Point& point) {
    std::vector<double> out;
    for (std::size_t i = 0; i < space.size(); ++i) {
        if (space[i].choices == 0) {
            out.push_back(position_of(space[i], point[i]));
            continue;
        }
        for (std::size_t choice = 0; choice < space[i].choices; ++choice) {
            out.push_back(static_cast<double>(choice) == point[i] ? std::numbers::sqrt2 / 2 : 0);
        }
    }
    return out;
}

Point near(const Space& space, const Point& centre, Draws& draws) {
    Point out = centre;
    for (std::size_t i = 0; i < space.size(); ++i) {
        if (space[i].choices > 0) {
            out[i] = draws.uniform() < kOtherChoice ? static_cast<double>(draws.below(space[i].choices)) : out[i];
            continue;
        }
        double at = std::abs(position_of(space[i], centre[i]) + (kRadius * draws.normal()));
        at = at > 1 ? 2 - at : at;  // reflected, so that ends are no likelier than other values
        out[i] = value_at(space[i], std::clamp(at, 0.0, 1.0));
    }
    return out;
}

// The mean amount by which a normal number is below `level`; numbers above it count as 0.
double expected_gain(const GaussianProcess::Prediction& loss, double level) {
    const double z = (level - loss.mean) / loss.deviation;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    return loss.deviation * ((z * 0.5 * std::erfc(-z / std::numbers::sqrt2)) + density);
}

// Scales losses so that those worse than the median are compressed: a run that diverged would otherwise hide all other
// differences.
struct Scale {
    double median = 0;
    double width = 1;  // from the best to the median

    [[nodiscard]] double operator()(double loss) const {
        const double at = (loss - median) / width;
        return at > 0 ? std::log1p(at) : at;
    }
};

Scale scale_of(std::vector<double> losses) {
    std::ranges::sort(losses);
    const double median = losses[losses.size() / 2];
    return {.median = median, .width = median > losses.front() ? median - losses.front() : 1};
}

struct Data {
    std::vector<std::vector<double>> points;
    std::vector<double> losses;
    std::vector<double> costs;
};

Data data_of(const Space& space, std::span<const Observation> known, const std::vector<std::size_t>& front) {
    Data out;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const bool late = i + kMostKnown >= known.size();
        if (std::isfinite(known[i].loss) && (late || std::ranges::find(front, i) != front.end())) {
            out.points.push_back(features(space, known[i].point));
            out.losses.push_back(known[i].loss);
            out.costs.push_back(log_cost(known[i]));
        }
    }
    return out;
}

}  // namespace

std::vector<std::size_t> pareto_front(std::span<const Observation> known) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (std::isfinite(known[i].loss)) {
            order.push_back(i);
        }
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(known[i].cost, known[i].loss); });
    std::vector<std::size_t> out;
    for (const std::size_t i : order) {
        if (out.empty() || known[i].loss < known[out.back()].loss) {
            out.push_back(i);
        }
    }
    return out;
}

Point cost_aware_point(const Space& space, std::span<const Observation> known, std::uint64_t seed,
                       std::uint64_t number) {
    const std::vector<std::size_t> front = pareto_front(known);
    if (known.size() < kRandomStart || front.empty()) {
        return random_point(space, seed, number);
    }
    Data data = data_of(space, known, front);
    const Scale scaled = scale_of(data.losses);
    std::ranges::transform(data.losses, data.losses.begin(), scaled);
    const GaussianProcess losses(data.points, data.losses);
    const GaussianProcess costs(std::move(data.points), data.costs);
    Draws draws(seed, "sweep/cost", number);
    // A random budget, from the cost of the front's cheapest point to twice that of its dearest, so that the search
    // explores all of the front and goes beyond its end.
    const double low = log_cost(known[front.front()]);
    const double high = log_cost(known[front.back()]) + std::numbers::ln2;
    const double budget = low + ((high - low) * draws.uniform());
    Point best;
    double best_gain = -1;
    for (std::size_t i = 0; i < kDraws; ++i) {
        Point candidate = near(space, known[front[draws.below(front.size())]].point, draws);
        const std::vector<double> at = features(space, candidate);
        const GaussianProcess::Prediction cost = costs.at(at);
        double level = scaled(known[front.front()].loss);  // of the front at this cost; before its begin, no more
        for (const std::size_t each : front) {
            level = log_cost(known[each]) <= cost.mean ? scaled(known[each].loss) : level;
        }
        const double within = 0.5 * std::erfc((cost.mean - budget) / (cost.deviation * std::numbers::sqrt2));
        const double gain = expected_gain(losses.at(at), level) * within;
        if (gain > best_gain) {
            best_gain = gain;
            best = std::move(candidate);
        }
    }
    return best;
}

}  // namespace tenon
