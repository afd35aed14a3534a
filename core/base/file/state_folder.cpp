// SPDX-License-Identifier: Apache-2.0
#include "base/file/state_folder.hpp"

#include <cstdlib>

namespace tenon {
namespace {

std::filesystem::path variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

std::filesystem::path state_folder() {
    if (std::filesystem::path own = variable("TENON_STATE"); !own.empty()) {
        return own;
    }
    // The XDG Base Directory Specification says to ignore relative paths.
    if (const std::filesystem::path states = variable("XDG_STATE_HOME"); states.is_absolute()) {
        return states / "tenon";
    }
    const std::filesystem::path home = variable("HOME");
    return home.is_absolute() ? home / ".local" / "state" / "tenon" : std::filesystem::path();
}

}  // namespace tenon
