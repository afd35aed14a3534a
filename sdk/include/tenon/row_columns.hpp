// SPDX-License-Identifier: Apache-2.0
// The columns that a network of dense layers reads: rows of one dimension, with categories one-hot.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "tenon/build.hpp"
#include "tenon/categories.hpp"
#include "tenon/guard.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Refuses a column of the env with more dimensions. `remedy` ends the sentence: "; let it read the features of a
// trunk".
inline void check_row(const tn_spec* spec, const std::string& key, const std::string& remedy) {
    if (spec != nullptr && spec->rank > 1) {
        throw InvalidArgument("column '" + key + "' has rows of " + std::to_string(spec->rank) +
                              " dimensions, but this network reads rows of one" + remedy);
    }
}

// The columns of the batch, one value for each key; join (nets.hpp) makes one of them.
inline std::vector<Value> row_columns(const Graph& g, const Batch& batch, const std::vector<std::string>& keys,
                                      const std::string& remedy,
                                      std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    std::vector<Value> out;
    for (const std::string& key : keys) {
        const tn_spec* const spec = g.spec(key.c_str(), true);
        check_row(spec, key, remedy);
        const Value column = batch[key.c_str()];
        out.push_back(spec != nullptr && holds_categories(*spec) ? categories_one_hot(column, *spec) : column);
    }
    return out;
}

}  // namespace TENON_SDK
}  // namespace tenon
