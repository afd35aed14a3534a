// SPDX-License-Identifier: Apache-2.0
#include "run/start/env_document.hpp"

#include <utility>

namespace tenon {

std::optional<Document> env_document(const std::string& env, std::int64_t lanes, const std::vector<Override>& overrides,
                                     Problems& problems) {
    if (env.ends_with(".toml")) {
        return read_manifest(env, overrides, problems);
    }
    Document document;
    TomlTable table;
    table.put("plugin", TomlNode{.value = env, .place = {}, .key_place = {}});
    table.put("lanes", TomlNode{.value = lanes, .place = {}, .key_place = {}});
    document.root.put("env", TomlNode{.value = std::move(table), .place = {}, .key_place = {}});
    put_on(document, overrides, problems);
    return document;
}

}  // namespace tenon
