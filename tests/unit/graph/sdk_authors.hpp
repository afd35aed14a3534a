// SPDX-License-Identifier: Apache-2.0
// Authors who use the functions of the SDK.
#pragma once

#include <map>
#include <string>

#include "authors.hpp"

namespace tenon::test {

//     Numbers       the same product with a number of every arithmetic type
//     OneByOne      functions as docs/reference/ops.md spells them: without the namespace, by operators
//     Shapes        shapes that are known when the plugin runs
//     AnyCount      an ensemble "value" of any count
//     DerivedMean   mean(x) in a class that derives from tenon::ActorCritic
//     Filled        constants of some sizes, for each row and for none
//     Norms         layer_norm and batch_renorm on values of two sizes
//     Mistaken      a mistake in calls of the SDK's functions, one a line
//     WrongIndices  orders and indices that do not fit
//     GaeInUpdate   what belongs into prepare
Author sdk_author(const char* name);

// The lines of "Mistaken" that must be blamed, by the function that is called there.
const std::map<std::string, unsigned>& mistaken_lines();

}  // namespace tenon::test
