// SPDX-License-Identifier: Apache-2.0
// A document as a flat list of values, to see what differs between two of them.
#pragma once

#include <map>
#include <string>

#include "manifest/document.hpp"

namespace tenon {

// "train.minibatch" -> "64", "env.transforms.0.k" -> "3"; values as to_toml writes them. Empty tables leave no trace.
std::map<std::string, std::string> flatten(const Document& document);

}  // namespace tenon
