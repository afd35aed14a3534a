// SPDX-License-Identifier: Apache-2.0
// A plugin file that this process has never loaded is loaded by another one first. One that ends it is in quarantine:
// it is not loaded until it changes or is found to be sound.
#pragma once

#include <optional>

#include "error/result.hpp"
#include "plugin/component.hpp"

namespace tenon {

// A LoadingGate (plugin/registry.hpp) for files that are not this program's own.
Status admit(const ComponentInfo& info);

// Why the file is in quarantine, if it is. Loads nothing.
std::optional<Problem> quarantine_of(const PluginFile& file);

// Loads it in a process of its own, whatever is known of it, and with more patience. Not fine: it is in quarantine, or
// would not be loaded for another reason.
Status try_again(const PluginFile& file);

}  // namespace tenon
