// SPDX-License-Identifier: Apache-2.0
// Rewards divided by the standard deviation of the discounted sums of rewards so far, over all lanes. The same as
// Gymnasium's NormalizeReward; of several lanes, each one uses the statistics before the step and its own sum.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "observations/moments.hpp"
#include "tenon/transform.hpp"

struct RewardNorm {
    std::string column;
    double gamma;
    double epsilon;
    std::size_t elements = 1;  // of a reward
    struct Sums {
        double mean = 0;
        double variance = 1;
        double count = 1e-4;  // the weight of the initial numbers
    };
    Sums sums;

    static constexpr auto options = std::tuple{
        tenon::option<&RewardNorm::column>("column", "reward", "which reward"),
        tenon::option<&RewardNorm::gamma>("gamma", 0.99, "[0,1]", "discount of the sums"),
        tenon::option<&RewardNorm::epsilon>("epsilon", 1e-8, "(0,inf)", "added to the variance"),
    };

    struct Lane {
        std::vector<double> discounted;
        Moments seen;  // the sums since the last gather
        void state(tenon::Archive& archive) { archive(discounted); }
        void part(tenon::Archive& archive) { seen.part(archive); }
    };

    tenon::Spec change(const tenon::Spec& spec) {
        elements = static_cast<std::size_t>(spec.elements());
        return tenon::unbounded(spec.key, spec.shape, spec.dtype == TN_F64 ? TN_F64 : TN_F32);
    }

    double apply(Lane& lane, double reward, std::size_t element, const tenon::TransformRow& row) const {
        lane.discounted.resize(elements);
        double& sum = lane.discounted[element];
        sum = sum * gamma * (row.terminated() ? 0 : 1) + reward;  // a truncation goes on: Gymnasium's rule
        lane.seen.add(element, elements, sum);
        const double off = sum - sums.mean;
        const double count = sums.count + 1;
        const double variance = (sums.variance * sums.count + off * off * sums.count / count) / count;
        return reward / std::sqrt(variance + epsilon);
    }

    void gather(std::span<Lane> lanes) {
        double count = 0;
        double total = 0;
        each_seen(lanes, [&](double rows, double mean, double) {
            total += rows * mean;
            count += rows;
        });
        if (count == 0) {
            return;
        }
        double squares = 0;
        each_seen(lanes, [&](double rows, double mean, double within) {
            squares += within + rows * ((mean - total / count) * (mean - total / count));
        });
        const double off = total / count - sums.mean;
        const double all = sums.count + count;
        sums.mean += off * count / all;
        sums.variance = (sums.variance * sums.count + squares + off * off * sums.count * count / all) / all;
        sums.count = all;
        for (Lane& lane : lanes) {
            lane.seen.rows = 0;
        }
    }

    void state(tenon::Archive& archive) { archive(sums); }

private:
    template <class Visit>
    static void each_seen(std::span<Lane> lanes, Visit visit) {
        for (const Lane& lane : lanes) {
            for (std::size_t i = 0; i < lane.seen.mean.size() && lane.seen.rows > 0; ++i) {
                visit(static_cast<double>(lane.seen.rows), lane.seen.mean[i], lane.seen.squares[i]);
            }
        }
    }
};
