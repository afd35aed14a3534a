// SPDX-License-Identifier: Apache-2.0
// The networks that a hook writes (abi/hook_writes.h).
#pragma once

#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "plugins/plugin/instance.hpp"

namespace tenon {

// Their roles; none for most hooks.
Result<std::vector<std::string>> written_networks(const Instance& hook);

}  // namespace tenon
