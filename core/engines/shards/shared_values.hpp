// SPDX-License-Identifier: Apache-2.0
// Values of all rows, from what each shard knows of its own. A shard tells numbers whose sums over all shards are what
// each of them needs: a sum, a mean, or in a place of its own, with zeros in those of others, its moments or its rows.
#pragma once

#include <cstddef>
#include <span>

namespace tenon {

enum class OfRows { kSum, kMean, kDeviation, kQuantile, kCount };

struct OwnPlace {
    std::size_t shard = 0;
    std::size_t shards = 1;
};

// How many numbers each shard tells, if it has so many rows.
std::size_t told_by(OfRows what, std::size_t rows, std::size_t shards);

void tell_rows(OfRows what, std::span<const double> rows, const OwnPlace& own, std::span<double> told);

// From the sums of what all have told. `rows`: of one shard. `share`: of a quantile.
double value_of_all(OfRows what, double share, std::span<double> summed, std::size_t rows, std::size_t shards);

}  // namespace tenon
