// SPDX-License-Identifier: Apache-2.0
#include "run/env_benchmark.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "manifest/document.hpp"
#include "manifest/manifest.hpp"
#include "run/setup.hpp"
#include "train/units.hpp"

namespace tenon {
namespace {

constexpr std::int64_t kLanes = 64;
constexpr std::uint64_t kEnvSeed = 0;
constexpr auto kTables = std::to_array<std::string_view>({"env", "isolation", "plugins"});

void refuse_other_tables(const std::vector<Override>& overrides, Problems& problems) {
    for (const Override& each : overrides) {
        const std::string table = each.text.substr(0, each.text.find_first_of(".="));
        if (std::ranges::find(kTables, table) == kTables.end()) {
            problems.push_back(input_problem("--set " + each.text + " changes nothing here: bench env reads only [env], " +
                                                 "[isolation] and [plugins]",
                                             {}, "write --set env.KEY=VALUE for an option of the env"));
        }
    }
}

// A manifest with nothing but the env.
Document only_env(const EnvBenchmarkRequest& request, Problems& problems) {
    Document document;
    TomlTable env;
    env.put("plugin", TomlNode{.value = request.env, .place = {}, .key_place = {}});
    env.put("lanes", TomlNode{.value = kLanes, .place = {}, .key_place = {}});
    document.root.put("env", TomlNode{.value = std::move(env), .place = {}, .key_place = {}});
    put_on(document, request.overrides, problems);
    return document;
}

}  // namespace

std::optional<EnvBench> benchmark_env(const EnvBenchmarkRequest& request, Problems& problems) {
    refuse_other_tables(request.overrides, problems);
    const std::optional<Document> document = request.env.ends_with(".toml")
                                                 ? read_manifest(request.env, request.overrides, problems)
                                                 : only_env(request, problems);
    if (!document) {
        return std::nullopt;
    }
    Manifest manifest = read_env_tables(*document, problems);
    if (request.workers > 0) {
        manifest.env.component.isolation = "process";
        manifest.isolation.workers = request.workers;
    }
    const auto wanted = static_cast<std::uint32_t>(request.lanes.value_or(manifest.env.lanes));
    const EnvSetup setup =
        set_up_env(std::move(manifest), request.plugins, static_cast<unsigned>(request.threads), problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    const LiveValues nothing_moves;
    Result<Lanes> lanes = make_lanes(setup.parts.training, nothing_moves, wanted, kEnvSeed, "", setup.host->pool);
    Result<EnvBench> result =
        lanes ? bench_env(*lanes, setup.host->pool, request.seconds, kEnvSeed) : std::move(lanes).error();
    if (!result) {
        problems.push_back(std::move(result).error());
        return std::nullopt;
    }
    return *result;
}

}  // namespace tenon
