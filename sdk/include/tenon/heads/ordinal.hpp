// SPDX-License-Identifier: Apache-2.0
// Categories in an order, such as the steps of a continuous quantity.
#pragma once

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Logits of an ordinal distribution (Tang and Agrawal 2020, eq. 4) from scores [.., n]: category k is as likely as the
// independent decisions to go beyond every category up to k and beyond none after it. Up to a constant the logarithm of
// this is the sum of the scores up to k, so that neighbours share most of it.
inline Value ordinal(In scores) {
    const detail::CalledFrom caller(scores.at);
    return cumsum(scores);
}

}  // namespace TENON_SDK
}  // namespace tenon
