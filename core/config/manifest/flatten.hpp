// SPDX-License-Identifier: Apache-2.0
// A document as a flat list of values, for comparing two documents.
#pragma once

#include <map>
#include <string>

#include "config/manifest/document.hpp"

namespace tenon {

// "train.minibatch" -> "64", "env.transforms.0.k" -> "3"; values in the form of to_toml. Empty tables are omitted.
std::map<std::string, std::string> flatten(const Document& document);

}  // namespace tenon
