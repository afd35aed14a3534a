// SPDX-License-Identifier: Apache-2.0
// Attention with several heads (Vaswani et al. 2017) over rows that come from several places, such as a cache and the
// present tokens: their scores are concatenated, so that no rows are copied.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tenon/nets.hpp"

namespace transformer {

using tenon::Value;

// Rows that queries may attend to.
struct Rows {
    Value keys;          // [.., m, width]
    Value values;        // [.., m, width]
    Value allowed = {};  // bool [.., n, m]: which row each query may see; all if it has no id
};

// Row i may see the rows up to i: bool [n, n].
inline Value causal(std::int64_t n) {
    const Value places = tenon::count_up(n);
    return unsqueeze(places, -2) <= unsqueeze(places);
}

// One head of queries [.., n, d].
inline Value attend(Value queries, const std::vector<Rows>& seen) {
    constexpr double kNever = -1e9;
    std::vector<tenon::In> scores;
    for (const Rows& rows : seen) {
        const Value score = linear(queries, rows.keys);
        scores.emplace_back(rows.allowed.id == 0 ? score : where(rows.allowed, score, kNever));
    }
    const Value weights = softmax(scores.size() == 1 ? Value{scores[0].id} : concat(scores));
    Value out;
    std::int64_t first = 0;
    for (const Rows& rows : seen) {
        const std::int64_t count = tenon::sizes_of(rows.keys).front();
        const Value part = linear(slice(weights, first, count), transpose(rows.values));
        out = first == 0 ? part : out + part;
        first += count;
    }
    return out;
}

// Queries [.., n, width] -> [.., n, width]. If keys have fewer heads than queries, neighbouring heads share them.
inline Value attention(Value queries, const std::vector<Rows>& seen, std::int64_t heads) {
    const std::int64_t size = std::max<std::int64_t>(tenon::last_size(queries) / heads, 1);
    const Value scaled = queries * (1 / std::sqrt(static_cast<double>(size)));
    std::vector<tenon::In> out;
    for (std::int64_t head = 0; head < heads; ++head) {
        std::vector<Rows> of_head;
        for (const Rows& rows : seen) {
            const std::int64_t at = head * (tenon::last_size(rows.keys) / size) / heads * size;
            of_head.push_back({slice(rows.keys, at, size), slice(rows.values, at, size), rows.allowed});
        }
        out.emplace_back(attend(slice(scaled, head * size, size), of_head));
    }
    return out.size() == 1 ? Value{out[0].id} : concat(out);
}

}  // namespace transformer
