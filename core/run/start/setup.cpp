// SPDX-License-Identifier: Apache-2.0
#include "run/start/setup.hpp"

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/simd/level_variable.hpp"
#include "config/manifest/options.hpp"
#include "config/manifest/shards.hpp"
#include "config/manifest/write.hpp"
#include "engines/isolation/isolate.hpp"
#include "engines/quarantine/gate.hpp"
#include "run/start/kinds.hpp"
#include "run/start/libtorch.hpp"
#include "train/loop/metrics.hpp"
#include "train/plan/option_places.hpp"

namespace tenon {

namespace {

std::vector<SearchFolder> folders_of(const Manifest& manifest, std::vector<SearchFolder> given) {
    const bool may_move = !given.empty();  // --plugins may give the new place of a folder of the manifest
    for (const std::string& path : manifest.plugins.search) {
        std::error_code code;
        if (!may_move || std::filesystem::exists(path, code)) {
            given.push_back({path, "plugins.search", place_of(manifest, "plugins.search")});
        }
    }
    return search_folders(std::move(given));
}

// Makes paths absolute, so that the resolved manifest in the run's folder has the same meaning.
void resolve_paths(Manifest& manifest) {
    const auto resolve = [&](std::string& path, const std::string& key) {
        path = absolute_path(path, place_of(manifest, key));
    };
    for (std::string& path : manifest.plugins.search) {
        resolve(path, "plugins.search");
    }
    for (PolicyTable& policy : manifest.policies) {
        if (!policy.init.empty()) {
            resolve(policy.init, "policy." + policy.name + ".init");
        }
    }
    if (manifest.collector && manifest.collector->record) {
        resolve(*manifest.collector->record, "collector.record");
    }
    for (BufferTable& buffer : manifest.buffers) {
        if (!buffer.init.empty()) {
            resolve(buffer.init, buffer.component.path + ".init");
        }
        if (!buffer.path.empty()) {
            resolve(buffer.path, buffer.component.path + ".path");
        }
    }
}

// Keeps the folders of plugins that have priority over shipped ones, because a run's folder must lead to the same
// files.
void keep_folders_with_priority(Wiring& wiring) {
    std::vector<std::string>& search = wiring.manifest.plugins.search;
    each_part(wiring.parts, [&](const Part& part) {
        if (part.info.plugin != nullptr && !part.info.plugin->in_place_of.empty()) {
            const std::string folder = part.info.plugin->path.parent_path().lexically_normal().string();
            if (std::ranges::find(search, folder) == search.end()) {
                search.push_back(folder);
            }
        }
    });
}

std::vector<Pin> pins_of(const Manifest& manifest) {
    return mapped<Pin>(manifest.plugins.sha256,
                       [&](const PinnedLibrary& pin) { return Pin{pin.library, pin.sha256, pin.place}; });
}

// Null if the system cannot start so many threads: what it has left is too little for plugins.
std::unique_ptr<Host> make_host(const Manifest& manifest, const std::vector<SearchFolder>& plugins, unsigned threads,
                                Problems& problems) {
    auto out = std::make_unique<Host>(threads, Registry::scan(folders_of(manifest, plugins), pins_of(manifest), admit));
    out->registry.load_apart_by(&isolate);
    if (out->pool.threads() < threads) {
        problems.push_back(environment_problem("the system starts only " + std::to_string(out->pool.threads()) +
                                                   " of " + std::to_string(threads) + " threads",
                                               place_of(manifest, "run.threads"), "ask for fewer"));
        out.reset();
    }
    return out;
}

}  // namespace

Setup set_up(const Request& request, Problems& problems) {
    const std::optional<Document> document =
        request.document ? request.document : read_manifest(request.manifest.string(), request.overrides, problems);
    if (document && document->root.find("base") != nullptr && document->root.find("space") != nullptr) {
        const std::string file = request.manifest.string();
        problems.push_back(
            input_problem(file + " is a sweep, not a manifest", {}, "`tenon sweep " + file + " --out DIR` runs it"));
        return {};
    }
    return document ? set_up(*document, request, problems) : Setup{};
}

Setup set_up(const Document& document, const Request& request, Problems& problems) {
    is_done(simd::check_level_variable(), problems);  // not every program has checked it at its start
    Manifest manifest = read_tables(document, problems);
    if (request.only_acts && manifest.run.device != "cpu") {
        manifest.run.device = "emulated";  // an emulated device needs no GPU, and has the same components
        manifest.run.jit = "auto";
    }
    check_shards(manifest, problems);
    if (request.shard) {
        take_shard(manifest, *request.shard);
    }
    resolve_paths(manifest);
    if (manifest.run.name.empty()) {
        manifest.run.name = std::filesystem::path(manifest.place.file).stem().string();
    }
    const auto threads = static_cast<unsigned>(std::max<std::int64_t>(manifest.run.threads, 1));
    Setup out;
    out.host = make_host(manifest, request.plugins, threads, problems);
    if (out.host == nullptr) {
        return {};
    }
    for (const SearchFolder& folder : request.plugins) {
        out.host->folders.push_back(std::filesystem::absolute(folder.path).string());
    }
    out.host->libtorch_lacks = &libtorch_lacks;
    out.host->storages = storage_kinds();
    out.host->sources = source_kinds();
    out.host->recordings = recording_kinds();
    const std::size_t first = problems.size();
    out.wiring = wire(std::move(manifest), *out.host, request.restored, out.running, problems);
    out.wiring->resumed = request.resumed;
    if (out.wiring->built) {
        check_hook_metrics(*out.wiring, problems);
    }
    keep_folders_with_priority(*out.wiring);
    point_at_options(out.wiring->parts, first, problems);
    name_option_owners(out.wiring->parts, problems);
    return out;
}

EnvSetup set_up_env(Manifest manifest, const std::vector<SearchFolder>& plugins, unsigned threads, Problems& problems) {
    resolve_paths(manifest);
    EnvSetup out;
    out.host = make_host(manifest, plugins, threads, problems);
    if (out.host == nullptr) {
        return {};
    }
    problems.insert(problems.end(), out.host->registry.problems().begin(), out.host->registry.problems().end());
    out.manifest = std::make_unique<Manifest>(std::move(manifest));
    const std::size_t first = problems.size();
    out.parts = find_parts(*out.manifest, out.host->registry, problems);
    load_parts(out.parts, *out.manifest, out.host->registry, out.host->services.table(), problems);
    point_at_options(out.parts, first, problems);
    return out;
}

std::string resolved_manifest(const Wiring& wiring) {
    std::vector<ResolvedComponent> components;
    each_part(wiring.parts,
              [&](const Part& part) { components.push_back(resolved(*part.table, part.schema(), part.values)); });
    return write_resolved(whole_run(wiring.manifest), components);
}

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
