// SPDX-License-Identifier: Apache-2.0
// A transform that is arithmetic on one value, as a graph: the host puts it into every program that reads the column,
// so that what is stored stays as the env gave it, bytes of a picture for example.
//
//     struct Brightness {
//         std::string column;
//         tenon::Value apply(const tenon::Graph& g, tenon::Value x) const { return cast(x, "real") / 255; }
//
//         static constexpr auto functions = std::tuple{tenon::function<&Brightness::apply>("apply", "x", "y")};
//         static constexpr auto options = std::tuple{
//             tenon::option<&Brightness::column>("column", "observation", "which column")};
//     };
//
// The option `column`, or a list `columns`, says which: observations, rewards and extras, not actions. What a buffer
// makes of one under another name, rewards of several steps, is read through it too, with one more size. Where a column
// changes before it is stored, or a lane has something to remember, write a procedure: tenon/transform.hpp.
#pragma once

#include "tenon/graph_component.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
consteval auto transform_graph(const char* id, const char* help) {
    return component<GraphComponent<T>, T>(id, "transform", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
