// SPDX-License-Identifier: Apache-2.0
// Transforms of one column, row by row. An author writes
//
//     struct Scale {
//         double factor;
//         static constexpr std::string_view column = "reward";             // a constant or an option
//         static constexpr auto options = std::tuple{...};
//
//         tenon::Spec change(tenon::Spec spec) const;                      // optional: how the column's spec changes
//         void apply(std::span<const float> in, std::span<float> out);     // one row of one lane; both may be the same
//         memory void begin();                                                    // optional: a new episode begins in
//         this lane void invert(std::span<const float> outer, std::span<float> inner);  // instead of apply, where
//         column is an action
//     };
//     TENON_PLUGIN("scale", "0.1.0", tenon::transform<Scale>("scale", "rewards times a factor"));
//
// There is one Scale per lane, so members may hold what belongs to a lane; they are saved as those of an env
// (state.hpp).
#pragma once

#include "tenon/plugin.hpp"
#include "tenon/transform_adapter.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class T>
consteval auto transform(const char* id, const char* help) {
    return component<TransformAdapter<T>, T>(id, "transform", help);
}

}  // namespace TENON_SDK
}  // namespace tenon
