// SPDX-License-Identifier: Apache-2.0
// The interfaces that this host knows: which kind must offer which, and how complete their tables must be.
#pragma once

#include <string_view>

#include "error/result.hpp"
#include "tenon/abi/plugin.h"

namespace tenon {

// Refuses a component whose kind this host does not know, that lacks an interface its kind must offer, or whose table
// is too short or has a null where a function must be. So whoever calls later need not look.
Status check_interfaces(const tn_component& component, std::string_view name);

}  // namespace tenon
