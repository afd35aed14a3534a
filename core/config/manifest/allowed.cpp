// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/allowed.hpp"

#include <algorithm>
#include <string>

namespace tenon {

Problems unless_allowed(const Manifest& manifest, std::string_view name, Problems warnings) {
    if (std::ranges::find(manifest.validate.allow, name) != manifest.validate.allow.end()) {
        return {};
    }
    for (Problem& warning : warnings) {
        warning.help += "; if it is meant: validate.allow = [\"" + std::string(name) + "\"]";
    }
    return warnings;
}

}  // namespace tenon
