// SPDX-License-Identifier: Apache-2.0
// The inputs of a world model, and the targets of its decoder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/build.hpp"
#include "tenon/guard.hpp"
#include "tenon/images.hpp"
#include "tenon/row_columns.hpp"

namespace world {

using tenon::Graph;
using tenon::Value;

// How a column of real numbers that the env gave is read.
using Reading = Value (*)(Value);

inline Value as_it_is(Value x) {
    return x;
}

inline std::vector<Value> inputs(const Graph& g, const std::vector<std::string>& in, Reading reading) {
    std::vector<Value> columns;
    for (const std::string& key : in) {
        const tn_spec* const spec = g.spec(key.c_str(), true);
        tenon::check_row(spec, key, "; the transform standard/flatten makes one of them");
        const Value column = g.batch()[key.c_str()];
        columns.push_back(spec != nullptr ? reading(cast(column, "real")) : column);
    }
    return columns;
}

// The columns as the env gave them. If the targets were learnt features of them, the model would make these easy to
// predict and lose what the env gave.
inline Value targets(const Graph& g, const std::vector<std::string>& in, const std::vector<std::string>& decodes,
                     Reading reading) {
    std::vector<Value> columns;
    for (const std::string& key : decodes.empty() ? in : decodes) {
        const Value column = g.batch()[key.c_str()];
        const tn_spec* const spec = g.spec(key.c_str(), true);
        const bool learnt = column.id != 0 && spec == nullptr;
        if (learnt && decodes.empty()) {
            throw tenon::InvalidArgument("'" + key +
                                         "' is learnt with the model, so decoding it teaches only what is easy to "
                                         "decode; set decodes to columns of the env, such as [\"observation\"]");
        }
        const Value row = tenon::sizes_of(column).size() > 1 ? tenon::flatten(column) : column;
        const bool pixels = spec != nullptr && spec->rank > 1 && spec->dtype == TN_U8;
        columns.push_back(learnt ? stop_gradient(row) : pixels ? row / 255.0 : reading(row));
    }
    return tenon::join(columns);
}

// Throws if a state that a planner or an objective gives the model cannot be one of its own.
inline void check_own(Value features, std::int64_t size) {
    if (features.id != 0 && tenon::last_size(features) != size) {
        throw tenon::InvalidArgument("its states have " + std::to_string(size) +
                                     " numbers, but the one that it is given has " +
                                     std::to_string(tenon::last_size(features)) +
                                     "; let what steps the model read its features, as in = [\"world.features\"]");
    }
}

// The one column that is decoded.
inline std::string only_target(const std::vector<std::string>& in, const std::vector<std::string>& decodes) {
    const std::vector<std::string>& keys = decodes.empty() ? in : decodes;
    if (keys.size() != 1) {
        throw tenon::InvalidArgument("'filters' decode one picture, but " + std::to_string(keys.size()) +
                                     " columns are decoded; name the picture in 'decodes'");
    }
    return keys.front();
}

}  // namespace world
