// SPDX-License-Identifier: Apache-2.0
// A manifest as written: a file, below it the files that it includes, and above it the --set values.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "config/manifest/node.hpp"
#include "config/manifest/override.hpp"

namespace tenon {

struct Document {
    TomlTable root;
    Place place;  // the file as a whole
};

// `include = ["base.toml"]` at the top names files relative to the including one. Later files override earlier ones,
// the file itself overrides all of them, and `overrides` override the file, the last one with the highest priority.
// `remove` removes keys of included files (removal.hpp). Adds every problem. A document is returned even if an override
// is invalid (without that override), so that the caller can find more problems; a file that cannot be read or parsed
// gives none.
std::optional<Document> read_manifest(const std::string& path, std::span<const Override> overrides, Problems& problems);

// Applies only the overrides to a document that has been read.
void put_on(Document& document, std::span<const Override> overrides, Problems& problems);

}  // namespace tenon
