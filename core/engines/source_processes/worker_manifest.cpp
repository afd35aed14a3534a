// SPDX-License-Identifier: Apache-2.0
#include "engines/source_processes/worker_manifest.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/file/launch_site.hpp"
#include "base/file/sha256.hpp"
#include "config/manifest/write.hpp"
#include "train/plan/parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

namespace {

constexpr std::string_view kKey = "collector.via";

Result<std::vector<std::string>> words_of(const std::string& text) {
    std::vector<std::string> words = TENON_TRY(words_of_command(text, kKey));
    TENON_TRY(check_command(words, kKey));
    return words;
}

}  // namespace

Result<std::vector<std::vector<std::string>>> worker_commands(const Manifest& manifest) {
    std::vector<std::vector<std::string>> out;
    for (const std::string& text : manifest.collector ? manifest.collector->via : std::vector<std::string>()) {
        out.push_back(TENON_TRY(placed(words_of(text), place_of(manifest, kKey))));
    }
    return out;
}

namespace {

// Another machine may have other files under the same paths: the worker then says so.
Status pin_plugins(const Wiring& wiring, PluginsTable& plugins) {
    Status read;
    each_part(wiring.parts, [&](const Part& part) {
        const std::string library = part.info.name.substr(0, part.info.name.find('/'));
        if (!read || std::ranges::find(plugins.sha256, library, &PinnedLibrary::library) != plugins.sha256.end()) {
            return;
        }
        Result<std::string> hash = sha256_of_file(part.info.plugin->path);
        if (hash) {
            plugins.sha256.push_back({.library = library, .sha256 = *std::move(hash), .place = {}});
        } else {
            read = std::move(hash).error();
        }
    });
    return read;
}

}  // namespace

Result<std::string> worker_manifest(const Wiring& wiring) {
    std::vector<ResolvedComponent> components;
    each_part(wiring.parts,
              [&](const Part& part) { components.push_back(resolved(*part.table, part.schema(), part.values)); });
    Manifest m = wiring.manifest;
    m.env.lanes /= worker_count(wiring.manifest);
    m.run.threads = 1;
    m.run.device = "cpu";
    m.run.learn_on = "auto";
    m.run.jit = "auto";
    m.collector.reset();
    m.eval.envs.clear();
    if (!wiring.manifest.collector->via.empty() || !wiring.manifest.collector->listen.empty()) {
        TENON_TRY(pin_plugins(wiring, m.plugins));
    }
    m.plugins.search.insert(m.plugins.search.begin(), wiring.host->folders.begin(), wiring.host->folders.end());
    return write_resolved(m, components);
}

std::uint32_t worker_count(const Manifest& m) {
    return static_cast<std::uint32_t>(m.collector->workers.value_or(m.env.lanes % 2 == 0 ? 2 : 1));
}

}  // namespace tenon
