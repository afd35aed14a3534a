// SPDX-License-Identifier: Apache-2.0
#include "run/start/fingerprints.hpp"

#include <map>
#include <utility>

#include "base/file/read.hpp"
#include "base/file/sha256.hpp"
#include "config/manifest/document_text.hpp"
#include "config/manifest/parse.hpp"
#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

constexpr const char* kFile = "plugins.toml";

struct Fingerprint {
    std::string version;
    std::string path;
    std::string sha256;
};

// The library as the manifest names it. The registry may use another name for a shipped plugin once another plugin has
// been found.
std::string library_of(const Part& part) {
    return part.info.name.substr(0, part.info.name.find('/'));
}

Result<std::map<std::string, Fingerprint>> fingerprints(const Wiring& wiring) {
    std::map<std::string, Fingerprint> out;
    Status read;
    each_part(wiring.parts, [&](const Part& part) {
        const PluginFile& file = *part.info.plugin;
        const std::string library = library_of(part);
        if (!read || out.contains(library)) {
            return;
        }
        Result<std::string> hash = sha256_of_file(file.path);
        if (!hash) {
            read = std::move(hash).error();
            return;
        }
        out[library] = {file.note->version, file.path.string(), *std::move(hash)};
    });
    return read ? Result(std::move(out)) : Result<std::map<std::string, Fingerprint>>(std::move(read.error()));
}

std::string text_at(const TomlTable& table, std::string_view key) {
    const TomlNode* node = table.find(key);
    const auto* text = node == nullptr ? nullptr : std::get_if<std::string>(&node->value);
    return text == nullptr ? std::string() : *text;
}

Result<TomlTable> read_fingerprints(const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / kFile;
    const std::string text =
        TENON_TRY(read_file(path, Largest{.bytes = std::uint64_t{1} << 20U, .kind = "list of plugins"}));
    return parse_toml(text, path.string());
}

std::string begin_again(const std::filesystem::path& folder) {
    return "begin a new run with the old one's weights: --from " + folder.string();
}

// The first component of a library that the run did not use; empty if there is none.
std::string other_component(const Wiring& wiring, const TomlTable& libraries, const Document& before) {
    const std::map<std::string, std::string> old_values = flatten(before);
    std::string out;
    each_part(wiring.parts, [&](const Part& part) {
        if (!out.empty() || libraries.find(library_of(part)) != nullptr) {
            return;
        }
        const std::string key = part.table->path + ".plugin";
        const auto was = old_values.find(key);
        out = key + " was " + (was == old_values.end() ? "absent" : was->second) + " and is now \"" + part.info.name +
              "\"";
    });
    return out;
}

}  // namespace

Result<std::string> plugin_fingerprints(const Wiring& wiring) {
    const auto files = TENON_TRY(fingerprints(wiring));
    std::string out = "# The plugin files of this run.\n";
    for (const auto& [library, file] : files) {
        out += "\n[" + toml_key(library) + "]\nversion = " + to_toml(OptionValue(file.version)) +
               "\npath = " + to_toml(OptionValue(file.path)) + "\nsha256 = " + to_toml(OptionValue(file.sha256)) + "\n";
    }
    return out;
}

Status check_same_components(const Wiring& wiring, const std::filesystem::path& folder, const Document& before) {
    const TomlTable libraries = TENON_TRY(read_fingerprints(folder));
    const std::string other = other_component(wiring, libraries, before);
    return other.empty()
               ? Status()
               : input_problem("the run in " + folder.string() + " cannot be resumed with another component: " + other,
                               before.place, "name the old component again, or " + begin_again(folder));
}

Result<std::string> changed_plugins(const Wiring& wiring, const std::filesystem::path& folder) {
    const TomlTable libraries = TENON_TRY(read_fingerprints(folder));
    const auto now = TENON_TRY(fingerprints(wiring));
    std::string out;
    for (const auto& [library, file] : now) {
        const TomlNode* node = libraries.find(library);
        if (node == nullptr) {
            continue;
        }
        const TomlTable* was = node->table();
        if (was == nullptr || text_at(*was, "sha256") != file.sha256) {
            const std::string version = was == nullptr ? "" : text_at(*was, "version");
            const std::string path = was == nullptr ? "" : text_at(*was, "path");
            out += (out.empty() ? "" : ", ") + file.path + " (" + file.version +
                   (version.empty() || version == file.version ? "" : ", was " + version) + ")" +
                   (path.empty() || path == file.path ? "" : " in place of " + path);
        }
    }
    return out;
}

Status check_same_plugins(const Wiring& wiring, const std::filesystem::path& folder) {
    const std::string changed = TENON_TRY(changed_plugins(wiring, folder));
    if (changed.empty()) {
        return {};
    }
    return input_problem("the run in " + folder.string() +
                             " cannot be resumed, because plugin files have changed since it began: " + changed,
                         Place{.file = (folder / kFile).string(), .excerpt = {}},
                         "restore the files with these sha256, or " + begin_again(folder));
}

}  // namespace tenon
