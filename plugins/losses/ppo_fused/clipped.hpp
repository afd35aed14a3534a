// SPDX-License-Identifier: Apache-2.0
// The clipped surrogate of proximal policy optimisation (Schulman et al. 2017, eq. 7) in plain loops, with one number
// per row, or several for a policy with several heads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tenon/fused.hpp"

namespace ppo_fused {

enum Input : std::size_t { kLogProb, kStored, kAdvantage, kEpsilon };
enum Output : std::size_t { kLoss, kDivergence, kClipped };

struct Clipped {
    template <class Real>
    static void forward(const tenon::FusedForward<Real>& k) {
        const auto log_prob = k.in(kLogProb), stored = k.in(kStored), advantage = k.in(kAdvantage);
        const auto loss = k.out(kLoss), divergence = k.out(kDivergence), clipped = k.out(kClipped);
        const Real epsilon = k.in(kEpsilon)[0];
        const std::size_t rows = k.rows(), heads = rows == 0 ? 0 : log_prob.size() / rows;
        for (std::size_t row = 0; row < rows; ++row) {
            Real gain = 0, apart = 0, far = 0;
            for (std::size_t i = row * heads; i < (row + 1) * heads; ++i) {
                const Real log_ratio = log_prob[i] - stored[i], ratio = std::exp(log_ratio), a = advantage[row];
                gain += std::min(ratio * a, std::clamp(ratio, 1 - epsilon, 1 + epsilon) * a);
                apart += ratio - 1 - log_ratio;
                far += std::abs(ratio - 1) > epsilon ? Real(1) : Real(0);
            }
            loss[row] = -gain;
            divergence[row] = apart;
            clipped[row] = far / static_cast<Real>(heads);
        }
    }

    // Only with respect to the new log-probabilities. In a tie each branch counts one half.
    template <class Real>
    static void backward(const tenon::FusedBackward<Real>& k) {
        if (!k.wants(kLogProb)) {
            return;
        }
        const auto log_prob = k.in(kLogProb), stored = k.in(kStored), advantage = k.in(kAdvantage);
        const auto out = k.in_gradient(kLogProb);
        const Real epsilon = k.in(kEpsilon)[0];
        const std::size_t rows = k.rows(), heads = rows == 0 ? 0 : log_prob.size() / rows;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::size_t row = i / heads;
            const Real ratio = std::exp(log_prob[i] - stored[i]), a = advantage[row];
            const Real near = std::clamp(ratio, 1 - epsilon, 1 + epsilon);
            const Real free = ratio * a, kept = near * a;
            const Real inside = near == ratio ? Real(1) : Real(0);
            const Real share = free < kept ? Real(1) : free == kept ? (1 + inside) / 2 : inside;
            out[i] = k.flows(kLoss) ? -k.out_gradient(kLoss)[row] * free * share : 0;
            out[i] += k.flows(kDivergence) ? k.out_gradient(kDivergence)[row] * (ratio - 1) : 0;
        }
    }
};

}  // namespace ppo_fused
