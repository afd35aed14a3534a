// SPDX-License-Identifier: Apache-2.0
// Where a key was first given that a TOML text gives again: the TOML library reports the second place only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tenon {

struct Definition {
    std::string written;    // a.b, [a.b] or [[a.b]]
    std::size_t begin = 0;  // in bytes
    std::size_t end = 0;
};

struct TwiceDefined {
    Definition first;
    Definition second;
};

// `at`: of the statement that defines something again, anywhere from its key to its value; all before it must be TOML.
// `first` is the same key, or one above it that holds something else.
std::optional<TwiceDefined> find_twice_defined(std::string_view text, std::size_t at);

}  // namespace tenon
