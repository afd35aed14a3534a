// SPDX-License-Identifier: Apache-2.0
// Finds the first definition of a key that a TOML text defines twice: the TOML library only reports the second one.
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

// `at`: inside the statement with the second definition, anywhere from its key to its value; the text before it must be
// valid TOML. `first` is the same key, or a parent that is not a table.
std::optional<TwiceDefined> find_twice_defined(std::string_view text, std::size_t at);

}  // namespace tenon
