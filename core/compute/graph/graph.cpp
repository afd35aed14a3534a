// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/graph.hpp"

#include "compute/graph/attributes.hpp"

namespace tenon::graph {
namespace {

template <class T>
const T& attribute_as(const Node& node, std::string_view key) {
    return std::get<T>(*find_attribute(node, key));
}

}  // namespace

const AttributeValue* find_attribute(const Node& node, std::string_view key) {
    return value_of(node.attributes, key);
}

std::int64_t int_attribute(const Node& node, std::string_view key) {
    return attribute_as<std::int64_t>(node, key);
}

std::int64_t axis_of(const Node& node) {
    return value_or(node.attributes, "axis", std::int64_t{-1});
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
