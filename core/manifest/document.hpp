// SPDX-License-Identifier: Apache-2.0
// A manifest as it was written: a file, the files that it includes below it, the --set values on top.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "error/result.hpp"
#include "manifest/node.hpp"
#include "manifest/override.hpp"

namespace tenon {

struct Document {
    TomlTable root;
    Place place;  // the file as a whole
};

// `include = ["base.toml"]` at the top names files relative to the including one; later ones win over earlier ones, the
// file itself over all of them, `overrides` over the file, the last one over all. `remove` beside it takes keys out of
// what is included (removal.hpp). Adds every problem that there is. A document without an override that is wrong is
// given all the same, so that the caller can go on looking for more; what cannot be read or parsed gives none.
std::optional<Document> read_manifest(const std::string& path, std::span<const Override> overrides, Problems& problems);

// The overrides alone, on a document that has been read.
void put_on(Document& document, std::span<const Override> overrides, Problems& problems);

}  // namespace tenon
