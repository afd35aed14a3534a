// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/graph.hpp"

#include <algorithm>

namespace tenon::graph {
namespace {

template <class T>
const T& attribute_as(const Node& node, std::string_view key) {
    return std::get<T>(*find_attribute(node, key));
}

}  // namespace

const AttributeValue* find_attribute(const Node& node, std::string_view key) {
    const auto found = std::find_if(node.attributes.begin(), node.attributes.end(),
                                    [&](const Attribute& attribute) { return attribute.key == key; });
    return found == node.attributes.end() ? nullptr : &found->value;
}

std::int64_t int_attribute(const Node& node, std::string_view key) {
    return attribute_as<std::int64_t>(node, key);
}

std::int64_t axis_of(const Node& node) {
    const AttributeValue* axis = find_attribute(node, "axis");
    return axis == nullptr ? -1 : std::get<std::int64_t>(*axis);
}

double float_attribute(const Node& node, std::string_view key) {
    return attribute_as<double>(node, key);
}

const std::string& string_attribute(const Node& node, std::string_view key) {
    return attribute_as<std::string>(node, key);
}

const std::vector<std::int64_t>& ints_attribute(const Node& node, std::string_view key) {
    return attribute_as<std::vector<std::int64_t>>(node, key);
}

}  // namespace tenon::graph
