// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/list_element.hpp"

#include <charconv>
#include <system_error>

namespace tenon {

Result<std::size_t> element_named(const std::string& name, const std::vector<TomlNode>& list, const std::string& path,
                                  const Place& place) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error == std::errc{} && end == name.data() + name.size() && index < list.size()) {
        return index;
    }
    const std::string range = list.empty() ? "is empty" : "has the elements 0 to " + std::to_string(list.size() - 1);
    return input_problem("'" + name + "' is not an element of " + path + ", which " + range, place);
}

}  // namespace tenon
