// SPDX-License-Identifier: Apache-2.0
// A manifest of 1000 frames written in a test, whose components nobody looks for.
#pragma once

#include <string>
#include <utility>

#include "config/manifest/manifest.hpp"
#include "config/manifest/parse.hpp"
#include "support/catch.hpp"

namespace tenon::test {

inline Manifest manifest_of(const std::string& text) {
    const std::string least = "[run]\ntotal_frames = 1000\n[policy.a]\nplugin = \"a/b\"\n[env]\nplugin = \"c/d\"\n";
    Result<TomlTable> root = parse_toml(least + text, "m.toml");
    REQUIRE(root);
    Problems problems;
    Manifest manifest = read_tables({.root = std::move(*root), .place = {}}, problems);
    for (const Problem& problem : problems) {
        FAIL(render(problem));
    }
    return manifest;
}

}  // namespace tenon::test
