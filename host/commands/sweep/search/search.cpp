// SPDX-License-Identifier: Apache-2.0
#include "commands/sweep/search/search.hpp"

#include <algorithm>

#include "base/random/key.hpp"

namespace tenon {

std::size_t grid_size(const Space& space, std::size_t limit) {
    std::size_t out = 1;
    for (const Dimension& dimension : space) {
        out = out > limit / dimension.choices ? limit : out * dimension.choices;
    }
    return std::min(out, limit);
}

Point grid_point(const Space& space, std::size_t number) {
    Point out(space.size());
    for (std::size_t i = space.size(); i-- > 0;) {
        out[i] = static_cast<double>(number % space[i].choices);
        number /= space[i].choices;
    }
    return out;
}

Point random_point(const Space& space, std::uint64_t seed, std::uint64_t number) {
    const tn_key key = make_key(seed, "sweep/random");
    Point out;
    for (const Dimension& dimension : space) {
        const tn_random_block block = tn_philox(key, (number << 16U) + out.size());
        out.push_back(dimension.choices > 0 ? tn_below(block.word[0], static_cast<std::uint32_t>(dimension.choices))
                                            : value_at(dimension, tn_uniform(block.word[0], block.word[1])));
    }
    return out;
}

}  // namespace tenon
