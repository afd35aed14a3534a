// SPDX-License-Identifier: Apache-2.0
// Authors who use the functions of the SDK.
#pragma once

#include "authors.hpp"

namespace tenon::test {

//     DerivedMean   mean(x) in a class that derives from tenon::ActorCritic
//     Norms         layer_norm and batch_renorm on values of two sizes
Author sdk_author(const char* name);

}  // namespace tenon::test
