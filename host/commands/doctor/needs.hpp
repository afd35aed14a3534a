// SPDX-License-Identifier: Apache-2.0
// What plugins use on this machine in addition to their own files, as they report it.
#pragma once

#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "plugins/plugin/component.hpp"

namespace tenon {

struct MachinePart {
    std::string name = {};     // "libhdf5"
    std::string use = {};      // what needs it
    std::string found = {};    // where it is, and which version; empty: it is missing
    std::string missing = {};  // why it cannot be used
    std::string bring = {};    // the command that installs it
    std::string plugin = {};   // the plugin that needs it; empty: the program itself
};

// The needs of a component that offers "tenon.needs/1"; none for others. The plugin's code looks for libraries and
// programs.
Result<std::vector<MachinePart>> needs_of(const LoadedComponent& component);

}  // namespace tenon
