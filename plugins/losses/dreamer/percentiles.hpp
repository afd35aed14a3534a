// SPDX-License-Identifier: Apache-2.0
// Quantiles over all rows and all steps of a dimension; the op batch_quantile has one for each step. The k-th smallest
// of numbers is the smallest bound that at least k of them do not exceed, so it is found by halving an interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tenon/build.hpp"
#include "tenon/region.hpp"

namespace dreamer {

using tenon::Value;

// The quantile of x [.., n], whose last size counts as rows, at each of `shares`, interpolated linearly; of agents one
// for each. The search
// stops at 2^-48 of the interval between the smallest and the largest number.
inline std::vector<Value> quantiles(Value x, const std::vector<double>& shares) {
    const Value least = -batch_quantile(max_over(-x), 1), most = batch_quantile(max_over(x), 1);
    const Value last = static_cast<double>(tenon::last_size(x)) * batch_count(max_over(x)) - 1;
    std::vector<Value> wanted;
    std::vector<tenon::In> begin;
    for (const double share : shares) {
        for (const double more : {0.0, 1.0}) {
            wanted.push_back(min(floor(share * last) + more, last));
            begin.emplace_back(least);
            begin.emplace_back(most);
        }
    }
    const std::vector<Value> found = scan(tenon::Steps{"halving", 48}, begin, {}, [&](std::span<const Value> now) {
        std::vector<Value> next;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const Value low = now[2 * i], high = now[2 * i + 1], middle = 0.5 * (low + high);
            const Value enough = batch_sum(sum(cast(x <= unsqueeze(middle), "real"))) > wanted[i];
            next.push_back(where(enough, low, middle));
            next.push_back(where(enough, middle, high));
        }
        return next;
    });
    std::vector<Value> out;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const Value below = pick(found[4 * i + 1], 47, "halving"), above = pick(found[4 * i + 3], 47, "halving");
        const Value part = shares[i] * last - floor(shares[i] * last);
        out.push_back(below + part * (above - below));
    }
    return out;
}

}  // namespace dreamer
