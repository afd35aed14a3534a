// SPDX-License-Identifier: Apache-2.0
// The parameters of a distribution that acting stores with the action, so that an objective can later compute how far
// the distribution has moved. A head lists them:
//
//     static constexpr std::array kStored = {Stored{"action_loc", &Normal::loc}, Stored{"action_scale",
//     &Normal::scale}};
#pragma once

#include <source_location>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class Head>
struct Stored {
    const char* column;
    Value Head::* parameter;
};

// The head at the time of acting: its parameters are read from the batch's columns.
template <class Head>
Head as_stored(const Graph& g, Head head, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    for (const Stored<Head>& each : Head::kStored) {
        head.*each.parameter = g.batch()[each.column];
    }
    return head;
}

}  // namespace TENON_SDK
}  // namespace tenon
