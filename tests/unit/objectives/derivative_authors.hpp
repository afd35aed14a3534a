// SPDX-License-Identifier: Apache-2.0
// Objectives whose losses have gradients in them: penalties on slopes, products of a Hessian and a vector.
#pragma once

#include "authors.hpp"

namespace tenon::test {

Author derivative_author(const char* name);

}  // namespace tenon::test
