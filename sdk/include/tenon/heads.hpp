// SPDX-License-Identifier: Apache-2.0
// Distributions over actions, from what a network puts out: draws, log-probabilities, entropies, modes. One value a
// row; continuous actions have their size last.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tenon/nets.hpp"

namespace tenon {
inline namespace TENON_SDK {

// What stands in for the score of an action that its mask forbids: finite, so that 0 times it is 0 and a mean of
// entropies stays a number, and so low that no network's score comes near it.
inline constexpr double kForbidden = -1e30;

// Scores of a categorical action, one a category, with kForbidden where the column "<action>_mask" of the batch that
// the caller reads is false; unchanged where the env has no such column. What is forbidden passes no gradient.
inline Value only_allowed(const Graph& g, Value scores, const char* action = "action") {
    const std::string mask = std::string(action) + "_mask";
    return g.spec(mask.c_str(), true) == nullptr ? scores : where(g.batch()[mask.c_str()], scores, kForbidden);
}

// Over logits in which only_allowed has struck out what is forbidden, it is the distribution over the others.
struct Categorical {
    Value logits;  // [.., n]

    [[nodiscard]] Value log_prob(In action) const { return gather(log_softmax(logits), action); }
    [[nodiscard]] Value mode() const { return argmax(logits); }
    [[nodiscard]] Value entropy() const { return -sum(softmax(logits) * log_softmax(logits)); }
    // By the Gumbel maximum: the largest of logits + g, with g independent standard Gumbel numbers.
    [[nodiscard]] Draw sample() const {
        const Value action = argmax(logits - log(-log(random_uniform(logits))));
        return {action, log_prob(action)};
    }
};

// A normal squashed by tanh and stretched to [low, high]. log_prob of a draw comes from its pre-image, so that actions
// at the edge, which rounding puts on the bound itself, have finite ones; that of a stored action first moves it inside
// by 1e-6.
struct TanhNormal {
    Value loc;    // [.., n]
    Value scale;  // [.., n], positive
    Value low;    // numbers or [n]
    Value high;

    // Rounding may lead past a bound by its last bit, and no env is to see that.
    [[nodiscard]] Value squash(Value pre) const { return clamp(low + (tanh(pre) + 1) * half(), low, high); }
    [[nodiscard]] Value mode() const { return squash(loc); }
    [[nodiscard]] Draw sample() const {
        const Value noise = random_normal(loc);
        const Value pre = loc + scale * noise;
        return {squash(pre), density(noise, pre)};
    }
    [[nodiscard]] Value log_prob(In action) const {
        const Value inside = clamp((action - low) / half() - 1, -1 + 1e-6, 1 - 1e-6);
        const Value pre = 0.5 * (log1p(inside) - log1p(-inside));
        return density((pre - loc) / scale, pre);
    }

private:
    [[nodiscard]] Value half() const { return (high - low) * 0.5; }
    // log N(noise; 0, 1) - log scale - log of the slopes of tanh and of the stretch; log(1 - tanh(x)^2) in the form
    // that does not cancel: 2 (log 2 - x - softplus(-2 x)).
    [[nodiscard]] Value density(Value noise, Value pre) const {
        const double log_root = 0.5 * std::log(2 * std::numbers::pi);
        const Value slope = 2 * (std::numbers::ln2 - pre - softplus(-2 * pre));
        return sum(-0.5 * square(noise) - log(scale) - log_root - slope - log(half()));
    }
};

// Scales from raw outputs: softplus shifted so that 0 gives 1, never below floor (TorchRL's biased_softplus_1.0 plus a
// bound).
inline Value positive_scale(Value raw, In floor) {
    const double least = 0.01;
    const double shift = std::log(std::expm1(1.0 - least));
    return max(softplus(raw + shift) + least, floor);
}

// The bounds of a bounded action as low and high, numbers or vectors.
struct ActionBounds {
    Value low;
    Value high;
};
inline ActionBounds bounds_of(const tn_spec& spec) {
    return {constants(std::span(spec.low, spec.bound_count)), constants(std::span(spec.high, spec.bound_count))};
}

}  // namespace TENON_SDK
}  // namespace tenon
