// SPDX-License-Identifier: Apache-2.0
// The target of a request line, decoded: "/api/runs?points=400".
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

struct HttpTarget {
    std::string path;
    std::map<std::string, std::string, std::less<>> query;  // of equal names the last
};

// None if it is no path of this server: not absolute, with an invalid escape, a control character, a backslash, an
// empty name, "." or ".." in it, or with too many parameters. So a path never leads out of a folder.
std::optional<HttpTarget> read_target(std::string_view text);

}  // namespace tenon
