// SPDX-License-Identifier: Apache-2.0
// Represents a real number by probabilities of fixed numbers, the bins: the two bins next to it get probabilities such
// that it is their mean. Bins are symexp of evenly spaced numbers from -20 to 20, so that the gradient does not grow
// with the number. Their order is b1 .. bn, 0 in between, with those below 0 first: -b1 .. -bn, 0, b1 .. bn. In this
// order numbers of both signs are paired before they are summed, and equal probabilities give exactly 0.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/nets.hpp"

namespace world {

using tenon::Graph;
using tenon::Value;

inline Value symlog(Value x) {
    return sign(x) * log1p(abs(x));
}

struct TwoHot {
    std::int64_t bins;

    void check() const {
        if (bins % 2 == 0) {
            throw tenon::InvalidArgument("'bins' is " + std::to_string(bins) +
                                         ", but must be odd: one is 0, and each of the others has its opposite");
        }
    }

    // The mean of the bins by the probabilities of these logits.
    [[nodiscard]] Value decoded(Value logits) const {
        const std::int64_t half = bins / 2;
        const Value share = softmax(logits);
        return sum((slice(share, half + 1, half) - slice(share, 0, half)) * symexp(1, half));
    }

    // The cross-entropy of the logits with the probabilities of a number.
    [[nodiscard]] Value error(Value logits, Value number) const { return -sum(encoded(number) * log_softmax(logits)); }

    // 1 at the number's own bin, less by distance, and 0 from the next bins on.
    [[nodiscard]] Value encoded(Value number) const {
        const std::int64_t half = bins / 2;
        const Value size = symexp(1, half), most = squeeze(symexp(half, 1));
        const Value inwards = 1 / (size - symexp(0, half)), outwards = 1 / (symexp(2, half) - size);
        const Value middle = slice(inwards, 0, 1);
        const Value bin = tenon::concat({-size, tenon::unsqueeze(0.0), size});
        const Value off = unsqueeze(max(-most, min(number, most))) - bin;
        const Value from_below = 1 + off * tenon::concat({outwards, middle, inwards});
        const Value from_above = 1 - off * tenon::concat({inwards, middle, outwards});
        return max(min(from_below, from_above), 0.0);
    }

private:
    // Bins number first, first + 1 and so on, counted from the one at 0.
    [[nodiscard]] Value symexp(std::int64_t first, std::int64_t count) const {
        const std::int64_t half = bins / 2;
        return expm1((tenon::count_up(count) + static_cast<double>(first)) * (20.0 / static_cast<double>(half)));
    }
};

}  // namespace world
