// SPDX-License-Identifier: Apache-2.0
// Columns that are texts, in graphs: rows of tokens that know how many they have (tenon::text in spec.hpp).
#pragma once

#include <source_location>
#include <string>

#include "tenon/build.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The key of the column with the number of tokens of a text; empty if the column is no text.
inline std::string length_key(const Graph& g, const std::string& column,
                              std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const tn_spec* const spec = g.spec(column.c_str(), true);
    return spec != nullptr && (spec->flags & TN_SPEC_TEXT) != 0 ? column + "_length" : "";
}

}  // namespace TENON_SDK
}  // namespace tenon
