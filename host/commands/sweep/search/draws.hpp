// SPDX-License-Identifier: Apache-2.0
// The random numbers of one decision of a search, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"

namespace tenon {

class Draws {
public:
    // `number`: that of the decision; each decision may draw 2^24 numbers.
    Draws(std::uint64_t seed, std::string_view stream, std::uint64_t number)
        : key_(make_key(seed, stream)), at_(number << 24U) {}

    double uniform() {
        const tn_random_block block = tn_philox(key_, at_++);
        return tn_uniform(block.word[0], block.word[1]);
    }
    std::size_t below(std::size_t count) {
        return tn_below(tn_philox(key_, at_++).word[0], static_cast<std::uint32_t>(count));
    }
    double normal() {
        double out = 0;
        fill_normal(key_, 2 * at_++, &out, 1);
        return out;
    }

private:
    tn_key key_;
    std::uint64_t at_;
};

}  // namespace tenon
