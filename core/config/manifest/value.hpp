// SPDX-License-Identifier: Apache-2.0
// Converts a value of the document to the value of an option.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "config/manifest/node.hpp"
#include "config/option/schema.hpp"

namespace tenon {

// The value of a node that is no list and no table.
std::optional<OptionValue> scalar_of(const TomlNode& node);

// `path` ("objective.gamma") begins the sentence of a problem; its place is that of the value or the list element.
Result<OptionValue> read_value(const OptionSchema& schema, const TomlNode& node, const std::string& path);

// "run.total_frames must be given", at `place`.
Problem missing_problem(const OptionSchema& schema, const std::string& path, const Place& place);

// "unknown key 'run.sed'; did you mean 'seed'?", or with a list of all known keys.
Problem unknown_key_problem(const std::string& parent, std::string_view key, const TomlNode& node,
                            const std::vector<std::string_view>& known);

}  // namespace tenon
