// SPDX-License-Identifier: Apache-2.0
// Policies that are graphs: networks, heads, exploration.
#pragma once

#include "tenon/graph_component.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
consteval auto policy_graph(const char* id, const char* help) {
    return component<GraphComponent<T>, T>(id, "policy", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
