// SPDX-License-Identifier: Apache-2.0
// A transform that is arithmetic on one value, as a graph. The host inserts it into every program that reads the
// column, so that the stored data stays as the env wrote it, for example as bytes of an image.
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
// The option `column`, or a list `columns`, selects observations, rewards and extras, but not actions. It also applies
// to columns that a buffer derives under another name (the rewards of several steps), which have one more size. To
// change a column before it is stored, or to keep state per lane, write a procedure: tenon/transform.hpp.
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
