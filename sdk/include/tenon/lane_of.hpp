// SPDX-License-Identifier: Apache-2.0
// The author's struct Lane, the state of one lane; an empty one if there is none.
#pragma once

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct NoLane {};
template <class T>
struct LaneOf {
    using Type = NoLane;
};
template <class T>
    requires requires { typename T::Lane; }
struct LaneOf<T> {
    using Type = typename T::Lane;
};

}  // namespace TENON_SDK
}  // namespace tenon
