// SPDX-License-Identifier: Apache-2.0
// A natural gradient step within a bound on the divergence (Schulman et al. 2015, appendix C). With the gradient g of
// the gain and the Hessian F of the divergence, conjugate gradients solve F x = g by products F v alone, each of which
// is the gradient of the divergence's gradient times v. The longest step along x whose second-order divergence is the
// bound is then shortened until the gain is above the present one and the divergence below the bound.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tenon/build.hpp"
#include "tenon/region.hpp"

namespace trpo {

using Of = std::function<tenon::Value(const tenon::Value& parameters)>;  // one number

inline tenon::Value dot(const tenon::Value& a, const tenon::Value& b) {
    return sum(a * b);
}

// x in (F + damping) x = g, after so many steps from 0. `times` is the product of F and a vector.
inline tenon::Value conjugate_gradients(const Of& times, const tenon::Value& damping, const tenon::Value& g,
                                        std::int64_t steps) {
    constexpr double kSolved = 1e-10;  // of the residual's square: what is left is rounding
    const tenon::Value begin = 0.0 * g;
    const auto step = [&](std::span<const tenon::Value> in) {
        const tenon::Value x = in[0], residual = in[1], direction = in[2], square = in[3];
        const tenon::Value product = times(direction) + damping * direction;
        const tenon::Value goes_on = square > kSolved;
        const tenon::Value length = where(goes_on, square / where(goes_on, dot(direction, product), 1.0), 0.0);
        const tenon::Value rest = residual - length * product;
        const tenon::Value next = dot(rest, rest);
        return std::vector<tenon::Value>{x + length * direction, rest,
                                         rest + where(goes_on, next / where(goes_on, square, 1.0), 0.0) * direction,
                                         next};
    };
    const std::vector<tenon::Value> out = scan(tenon::Steps{"solving", steps}, {begin, g, g, dot(g, g)}, {}, step);
    return pick(out[0], steps - 1, "solving");
}

struct NaturalStep {
    tenon::Value parameters;
    tenon::Value found;     // 1 if a step has been taken
    tenon::Value fraction;  // of the longest one
};

struct Limits {
    tenon::Value divergence;
    tenon::Value damping;
    tenon::Value shrinking;
    std::int64_t solving = 0;    // steps of conjugate gradients
    std::int64_t searching = 0;  // lengths that are tried
};

inline NaturalStep natural_step(const Of& gain, const Of& divergence, const tenon::Value& parameters,
                                const Limits& limits) {
    const tenon::Value before = gain(parameters);
    const tenon::Value g = gradient(before, parameters);
    const tenon::Value slope = gradient(divergence(parameters), parameters);
    const Of times = [&](const tenon::Value& v) { return gradient(dot(slope, v), parameters); };
    const tenon::Value x = conjugate_gradients(times, limits.damping, g, limits.solving);
    const tenon::Value curvature = dot(x, times(x) + limits.damping * x);
    const tenon::Value is_uphill = curvature > 0.0;
    const tenon::Value longest =
        where(is_uphill, sqrt(2 * limits.divergence / where(is_uphill, curvature, 1.0)), 0.0) * x;

    const tenon::Value none = 0.0 * before;
    const auto search = [&](std::span<const tenon::Value> in) {
        const tenon::Value best = in[0], found = in[1], taken = in[2], fraction = in[3];
        const tenon::Value tried = parameters + fraction * longest;
        const tenon::Value fits = found == 0.0 && gain(tried) > before && divergence(tried) < limits.divergence;
        return std::vector<tenon::Value>{where(unsqueeze(fits), tried, best), where(fits, 1.0, found),
                                         where(fits, fraction, taken), limits.shrinking * fraction};
    };
    const std::vector<tenon::Value> out =
        scan(tenon::Steps{"searching", limits.searching}, {parameters, none, none, none + 1.0}, {}, search);
    const auto last = [&](std::size_t i) { return pick(out[i], limits.searching - 1, "searching"); };
    return {last(0), last(1), last(2)};
}

}  // namespace trpo
