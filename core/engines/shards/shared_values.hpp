// SPDX-License-Identifier: Apache-2.0
// Computes values of the rows of all shards. Each shard writes numbers about its own rows, and the sums of these
// numbers over all shards give the value. For a sum or a mean they are sums. For moments and quantiles each shard
// writes to a separate place and leaves zeros in the places of the others, so the sums contain what each shard has
// written.
#pragma once

#include <cstddef>
#include <span>

namespace tenon {

enum class OfRows { kSum, kMean, kDeviation, kQuantile, kCount };

struct OwnPlace {
    std::size_t shard = 0;
    std::size_t shards = 1;
};

// The count of numbers that each shard writes for this many rows.
std::size_t told_by(OfRows what, std::size_t rows, std::size_t shards);

void tell_rows(OfRows what, std::span<const double> rows, const OwnPlace& own, std::span<double> told);

// From the sums of what all have told. `rows`: of one shard. `share`: of a quantile.
double value_of_all(OfRows what, double share, std::span<double> summed, std::size_t rows, std::size_t shards);

}  // namespace tenon
