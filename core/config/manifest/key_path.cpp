// SPDX-License-Identifier: Apache-2.0
#include "config/manifest/key_path.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error/problem.hpp"
#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

std::size_t past_blanks(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \t", at), text.size());
}

std::optional<KeyPart> read_name(std::string_view text, std::size_t begin) {
    if (begin < text.size() && (text[begin] == '"' || text[begin] == '\'')) {
        std::size_t close = begin + 1;
        while (close < text.size() && text[close] != text[begin] && text[close] != '\n') {
            close += text[begin] == '"' && text[close] == '\\' ? 2 : 1;
        }
        const bool closes = close < text.size() && text[close] == text[begin];
        return closes ? std::optional(KeyPart{std::string(text.substr(begin + 1, close - begin - 1)), begin, close + 1})
                      : std::nullopt;
    }
    const std::size_t end = std::min(text.find_first_of(" \t\r\n.=]", begin), text.size());
    return end == begin ? std::nullopt
                        : std::optional(KeyPart{std::string(text.substr(begin, end - begin)), begin, end});
}

// Empty if it has none.
std::string_view text_of(const TomlNode& element, std::string_view key) {
    const TomlNode* const node = element.table() != nullptr ? element.table()->find(key) : nullptr;
    const auto* const text = node != nullptr ? std::get_if<std::string>(&node->value) : nullptr;
    return text != nullptr ? *text : std::string_view();
}

// "clip" of "standard/clip".
std::string_view last_part(std::string_view plugin) {
    return plugin.substr(plugin.find_last_of('/') + 1);
}

// The element that has the name, or else those whose plugin is `name`, or has it as its last part.
std::vector<std::size_t> with_name(const std::vector<TomlNode>& list, const std::string& name) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < list.size() && !name.empty(); ++i) {
        const std::string_view plugin = text_of(list[i], "plugin");
        if (name == text_of(list[i], "name")) {
            return {i};
        }
        if (name == plugin || name == last_part(plugin)) {
            out.push_back(i);
        }
    }
    return out;
}

}  // namespace

KeyPath read_key_path(std::string_view text, std::size_t at) {
    KeyPath out;
    while (true) {
        at = past_blanks(text, at);
        std::optional<KeyPart> part = read_name(text, at);
        if (!part) {
            out.end = at;
            return out;
        }
        at = past_blanks(text, part->end);
        out.parts.push_back(*std::move(part));
        if (at >= text.size() || text[at] != '.') {
            out.end = at;
            out.is_whole = true;
            return out;
        }
        ++at;
    }
}

std::string joined(const std::vector<KeyPart>& parts, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        out += (i == 0 ? "" : ".") + toml_key(parts[i].name);
    }
    return out;
}

Result<std::size_t> element_named(const std::string& name, const std::vector<TomlNode>& list, const std::string& path,
                                  const Place& place) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    if (error == std::errc{} && end == name.data() + name.size() && index < list.size()) {
        return index;
    }
    const std::vector<std::size_t> found = with_name(list, name);
    if (found.size() == 1) {
        return found.front();
    }
    if (found.size() > 1) {
        return input_problem("'" + name + "' is the plugin of " + std::to_string(found.size()) + " elements of " +
                                 path + ": write the number of one, such as " + path + "." +
                                 std::to_string(found.front()),
                             place);
    }
    const std::string range = list.empty() ? "is empty" : "has the elements 0 to " + std::to_string(list.size() - 1);
    std::vector<std::string_view> names;
    for (const TomlNode& one : list) {
        names.insert(names.end(), {text_of(one, "name"), last_part(text_of(one, "plugin"))});
    }
    return input_problem("'" + name + "' is not an element of " + path + ", which " + range + did_you_mean(name, names),
                         place);
}

}  // namespace tenon
