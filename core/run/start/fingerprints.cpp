// SPDX-License-Identifier: Apache-2.0
#include "run/start/fingerprints.hpp"

#include <map>
#include <utility>

#include "base/file/read.hpp"
#include "base/file/sha256.hpp"
#include "config/manifest/parse.hpp"
#include "config/option/toml_text.hpp"

namespace tenon {
namespace {

struct Fingerprint {
    std::string version;
    std::string path;
    std::string sha256;
};

Result<std::map<std::string, Fingerprint>> fingerprints(const Wiring& wiring) {
    std::map<std::string, Fingerprint> out;
    Status read;
    each_part(wiring.parts, [&](const Part& part) {
        const PluginFile& file = *part.info.plugin;
        if (!read || out.contains(file.library)) {
            return;
        }
        Result<std::string> hash = sha256_of_file(file.path);
        if (!hash) {
            read = std::move(hash).error();
            return;
        }
        out[file.library] = {file.note->version, file.path.string(), *std::move(hash)};
    });
    return read ? Result(std::move(out)) : Result<std::map<std::string, Fingerprint>>(std::move(read.error()));
}

std::string text_at(const TomlTable& table, std::string_view key) {
    const TomlNode* node = table.find(key);
    const auto* text = node == nullptr ? nullptr : std::get_if<std::string>(&node->value);
    return text == nullptr ? std::string() : *text;
}

}  // namespace

Result<std::string> plugin_fingerprints(const Wiring& wiring) {
    const auto files = fingerprints(wiring);
    if (!files) {
        return files.error();
    }
    std::string out = "# The plugin files of this run.\n";
    for (const auto& [library, file] : *files) {
        out += "\n[" + library + "]\nversion = " + to_toml(OptionValue(file.version)) +
               "\npath = " + to_toml(OptionValue(file.path)) + "\nsha256 = " + to_toml(OptionValue(file.sha256)) + "\n";
    }
    return out;
}

Status check_same_plugins(const Wiring& wiring, const std::filesystem::path& folder) {
    const std::filesystem::path path = folder / "plugins.toml";
    const Result<std::string> text =
        read_file(path, Largest{.bytes = std::uint64_t{1} << 20U, .kind = "list of plugins"});
    if (!text) {
        return text.error();
    }
    const Result<TomlTable> before = parse_toml(*text, path.string());
    if (!before) {
        return before.error();
    }
    const auto now = fingerprints(wiring);
    if (!now) {
        return now.error();
    }
    std::string differences;
    for (const auto& [library, file] : *now) {
        const TomlNode* node = before->find(library);
        const TomlTable* was = node == nullptr ? nullptr : node->table();
        if (was == nullptr || text_at(*was, "sha256") != file.sha256) {
            const std::string version = was == nullptr ? "" : text_at(*was, "version");
            differences += (differences.empty() ? "" : ", ") + file.path + " (" + file.version +
                           (version.empty() || version == file.version ? "" : ", was " + version) + ")";
        }
    }
    if (differences.empty()) {
        return {};
    }
    return input_problem("the run in " + folder.string() +
                             " cannot be resumed, because plugin files have changed since it began: " + differences,
                         Place{.file = path.string(), .excerpt = {}},
                         "restore the files with these sha256, or begin a new run with the old one's "
                         "weights: --from " +
                             folder.string());
}

}  // namespace tenon
