// SPDX-License-Identifier: Apache-2.0
// The interfaces that this host knows: which kind must offer which, and which functions their tables must have.
#pragma once

#include <string_view>

#include "base/error/result.hpp"
#include "tenon/abi/plugin.h"

namespace tenon {

// Refuses a component of an unknown kind, one that lacks an interface that its kind requires, and one whose table is
// too short or lacks a required function. Later callers need not check again.
Status check_interfaces(const tn_component& component, std::string_view name);

}  // namespace tenon
