// SPDX-License-Identifier: Apache-2.0
// Tree-structured Parzen estimators. The known points are split by their loss, into the best tenth and the others, and
// a density is fitted to each part. Of some draws from the density of the good ones, the point with the largest ratio
// of good to bad density is next: where a point is likely under the one and unlikely under the other, the expected
// improvement is largest (Bergstra et al. 2011). The densities narrow where points gather, so the search does, too; a
// kernel as wide as the space keeps every point possible.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "commands/sweep/search/draws.hpp"
#include "commands/sweep/search/search.hpp"

namespace tenon {
namespace {

constexpr std::size_t kCandidates = 24;  // the best of so many draws is taken
constexpr std::size_t kMostGood = 25;
constexpr double kGoodShare = 0.1;
constexpr int kTries = 64;  // draws of a normal until one is in the range

double cdf(double x) {
    return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

// A mixture with one kernel for each point and one as wide as the space, which keeps every point possible.
class Mixture {
public:
    Mixture(const Space& space, std::vector<Point> centres)
        : space_(space), centres_(std::move(centres)), widths_(centres_.size(), Point(space.size())) {
        for (std::size_t i = 0; i < space.size(); ++i) {
            fill_widths(i);
        }
    }

    Point draw(Draws& draws) const {
        const std::size_t kernel = draws.below(centres_.size() + 1);
        Point out(space_.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            const bool wide = kernel == centres_.size();
            if (space_[i].choices > 0) {
                const bool other = wide || draws.uniform() < other_share();
                out[i] = other ? static_cast<double>(draws.below(space_[i].choices)) : centres_[kernel][i];
            } else {
                out[i] = wide ? draws.uniform() : near(centres_[kernel][i], widths_[kernel][i], draws);
            }
        }
        return out;
    }

    [[nodiscard]] double log_density(const Point& at) const {
        double sum = 1;  // the wide kernel
        for (std::size_t i = 0; i < space_.size(); ++i) {
            sum /= static_cast<double>(std::max<std::size_t>(1, space_[i].choices));
        }
        for (std::size_t k = 0; k < centres_.size(); ++k) {
            double density = 1;
            for (std::size_t i = 0; i < at.size(); ++i) {
                density *= kernel(space_[i], centres_[k][i], widths_[k][i], at[i]);
            }
            sum += density;
        }
        return std::log(sum / static_cast<double>(centres_.size() + 1));
    }

private:
    [[nodiscard]] double other_share() const { return 1.0 / static_cast<double>(centres_.size() + 1); }

    // A kernel is as wide as the gap to the further one of its neighbours in that dimension, so that kernels narrow
    // where points gather.
    void fill_widths(std::size_t dimension) {
        std::vector<std::pair<double, std::size_t>> order;
        for (const Point& centre : centres_) {
            order.emplace_back(centre[dimension], order.size());
        }
        std::ranges::sort(order);
        const std::size_t count = order.size();
        const double least = 1.0 / static_cast<double>(std::min<std::size_t>(100, count + 2));
        for (std::size_t i = 0; i < count; ++i) {
            const double below = i > 0 ? order[i].first - order[i - 1].first : 0;
            const double above = i + 1 < count ? order[i + 1].first - order[i].first : 0;
            const double gap = count > 1 ? std::max(below, above) : std::max(order[i].first, 1 - order[i].first);
            widths_[order[i].second][dimension] = std::clamp(gap, least, 1.0);
        }
    }

    [[nodiscard]] static double near(double centre, double width, Draws& draws) {
        for (int i = 0; i < kTries; ++i) {
            const double at = centre + (width * draws.normal());
            if (at >= 0 && at <= 1) {
                return at;
            }
        }
        return centre;
    }

    [[nodiscard]] double kernel(const Dimension& dimension, double centre, double width, double at) const {
        if (dimension.choices > 0) {
            return (centre == at ? 1 - other_share() : 0) + (other_share() / static_cast<double>(dimension.choices));
        }
        const double z = (at - centre) / width;
        const double inside = cdf((1 - centre) / width) - cdf(-centre / width);
        return std::exp(-0.5 * z * z) / (width * std::sqrt(2 * std::numbers::pi) * inside);
    }

    const Space& space_;
    std::vector<Point> centres_;
    std::vector<Point> widths_;  // of each kernel in each dimension
};

Point to_positions(const Space& space, Point point) {
    for (std::size_t i = 0; i < point.size(); ++i) {
        point[i] = space[i].choices > 0 ? point[i] : position_of(space[i], point[i]);
    }
    return point;
}

}  // namespace

Point tpe_point(const Space& space, std::span<const Observation> known, std::uint64_t seed, std::uint64_t number) {
    if (known.size() < kRandomStart) {
        return random_point(space, seed, number);
    }
    std::vector<std::pair<double, std::size_t>> order;  // of equal ones, the earlier is better
    for (const Observation& each : known) {
        order.emplace_back(std::isfinite(each.loss) ? each.loss : HUGE_VAL, order.size());
    }
    std::ranges::sort(order);
    const auto share = static_cast<std::size_t>(std::ceil(kGoodShare * static_cast<double>(order.size())));
    std::vector<Point> good;
    std::vector<Point> bad;
    for (const auto& [loss, at] : order) {
        const bool is_good = good.size() < std::min(share, kMostGood) && loss < HUGE_VAL;
        (is_good ? good : bad).push_back(to_positions(space, known[at].point));
    }
    if (good.empty()) {  // all have failed
        return random_point(space, seed, number);
    }
    const Mixture likely(space, std::move(good));
    const Mixture unlikely(space, std::move(bad));
    Draws draws(seed, "sweep/tpe", number);
    Point best;
    double best_gain = -HUGE_VAL;
    for (std::size_t i = 0; i < kCandidates; ++i) {
        Point candidate = likely.draw(draws);
        const double gain = likely.log_density(candidate) - unlikely.log_density(candidate);
        if (best.empty() || gain > best_gain) {
            best_gain = gain;
            best = std::move(candidate);
        }
    }
    for (std::size_t i = 0; i < best.size(); ++i) {
        best[i] = space[i].choices > 0 ? best[i] : value_at(space[i], best[i]);
    }
    return best;
}

}  // namespace tenon
