// SPDX-License-Identifier: Apache-2.0
// From a manifest file to a wired run: reads and checks it, finds its plugins and builds all graphs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/override.hpp"
#include "plugins/plugin/search_path.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

struct Request {
    std::filesystem::path manifest;
    std::vector<Override> overrides = {};    // later ones have priority
    std::vector<SearchFolder> plugins = {};  // of --plugins
    bool restored = false;                   // this and the next: as in Wiring
    bool resumed = false;
    bool only_acts = false;  // on the CPU, as evaluations do: a run trained on a GPU can act without one
    std::optional<std::int64_t> shard = {};  // of a run with shards, the one that this process is; none: the whole run
    std::optional<Document> document = {};   // used instead of the manifest and the overrides, which it contains
};

struct Setup {
    std::unique_ptr<Host> host;
    std::unique_ptr<Wiring> wiring;  // destroyed before the host, which its instances depend on
    Running running;                 // until a trainer or a collector takes it
};

// Adds every problem that can be found at once. Without problems the setup is complete.
Setup set_up(const Request& request, Problems& problems);
Setup set_up(const Document& document, const Request& request, Problems& problems);

// The env of a manifest with its wrappers and transforms, without the rest.
struct EnvSetup {
    std::unique_ptr<Host> host;
    std::unique_ptr<Manifest> manifest;  // the parts refer to it
    Parts parts;                         // only `training`
};

EnvSetup set_up_env(Manifest manifest, const std::vector<SearchFolder>& plugins, unsigned threads, Problems& problems);

// The manifest with every default and every option of every component.
std::string resolved_manifest(const Wiring& wiring);

// The env that a command names, as a manifest with nothing else. env: "library/component" with so many lanes, or a
// manifest if it ends in .toml.
std::optional<Document> env_document(const std::string& env, std::int64_t lanes, const std::vector<Override>& overrides,
                                     Problems& problems);

}  // namespace tenon
