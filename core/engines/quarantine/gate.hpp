// SPDX-License-Identifier: Apache-2.0
// A plugin file that this process has never loaded is first loaded by another process. If it ends that process, it is
// in quarantine: it is not loaded until it changes or is found to work.
#pragma once

#include <optional>

#include "base/error/result.hpp"
#include "plugins/plugin/component.hpp"

namespace tenon {

// A LoadingGate (plugin/registry.hpp) for files that do not belong to this program.
Status admit(const ComponentInfo& info);

// Why the file is in quarantine, if it is. Loads nothing.
std::optional<Problem> quarantine_of(const PluginFile& file);

// Loads it in a separate process, whatever is known about it, with a longer time limit. A problem means that it is in
// quarantine, or cannot be loaded for another reason.
Status try_again(const PluginFile& file);

}  // namespace tenon
