// SPDX-License-Identifier: Apache-2.0
// Looks up attributes of a node that is still being read; any of them may be missing.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon::graph {

inline const AttributeValue* value_of(const std::vector<Attribute>& attributes, std::string_view key) {
    const auto found = std::ranges::find(attributes, key, &Attribute::key);
    return found == attributes.end() ? nullptr : &found->value;
}

// The value of this type, or the other one if the attribute is missing.
template <class T>
T value_or(const std::vector<Attribute>& attributes, std::string_view key, const T& other) {
    const AttributeValue* const found = value_of(attributes, key);
    return found == nullptr ? other : std::get<T>(*found);
}

// The text; empty if the attribute is missing.
inline const std::string& text_of(const std::vector<Attribute>& attributes, std::string_view key) {
    static const std::string kNone;
    const AttributeValue* found = value_of(attributes, key);
    return found == nullptr ? kNone : std::get<std::string>(*found);
}

}  // namespace tenon::graph
