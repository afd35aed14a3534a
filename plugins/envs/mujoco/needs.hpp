// SPDX-License-Identifier: Apache-2.0
// MuJoCo and what draws its pictures, for `tenon doctor`.
#pragma once

#include "tenon/needs.hpp"

namespace physics {

tenon::Needs look();

}  // namespace physics
