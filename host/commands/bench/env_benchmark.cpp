// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/env_benchmark.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "config/manifest/manifest.hpp"
#include "run/start/setup.hpp"
#include "train/plan/env_lanes.hpp"
#include "train/plan/even_parts.hpp"

namespace tenon {
namespace {

constexpr std::int64_t kLanes = 64;
constexpr std::uint64_t kEnvSeed = 0;
constexpr auto kTables = std::to_array<std::string_view>({"env", "isolation", "plugins"});

void refuse_other_tables(const std::vector<Override>& overrides, Problems& problems) {
    for (const Override& each : overrides) {
        const std::string table = each.text.substr(0, each.text.find_first_of(".="));
        if (std::ranges::find(kTables, table) == kTables.end()) {
            problems.push_back(input_problem("--set " + each.text +
                                                 " changes nothing here: bench env reads only [env], " +
                                                 "[isolation] and [plugins]",
                                             {}, "write --set env.KEY=VALUE for an option of the env"));
        }
    }
}

}  // namespace

std::optional<EnvBench> benchmark_env(const EnvBenchmarkRequest& request, Problems& problems) {
    refuse_other_tables(request.overrides, problems);
    std::optional<Document> document = env_document(request.env, kLanes, request.overrides, problems);
    if (!document) {
        return std::nullopt;
    }
    if (request.workers > 0) {
        const std::string workers = std::to_string(request.workers);
        const auto apart = std::to_array<Override>(
            {{"process", "--workers", "env.isolation"}, {workers, "--workers", "isolation.workers"}});
        put_on(*document, apart, problems);
    }
    Manifest manifest = read_env_tables(*document, problems);
    const auto wanted = static_cast<std::uint32_t>(request.lanes.value_or(manifest.env.lanes));
    const EnvSetup setup =
        set_up_env(std::move(manifest), request.plugins, static_cast<unsigned>(request.threads), problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    const EnvParts& env = setup.parts.training;
    const std::vector<std::uint32_t> dealt =
        request.lanes ? even_parts(wanted, std::max<std::size_t>(env.tasks.size(), 1)) : training_lanes(env, wanted);
    Result<Lanes> lanes = make_lanes(env, {}, dealt, kEnvSeed, "", setup.host->pool);
    Result<EnvBench> result =
        lanes ? bench_env(*lanes, setup.host->pool, request.seconds, kEnvSeed) : std::move(lanes).error();
    if (!is_done(result, problems)) {
        return std::nullopt;
    }
    return *result;
}

}  // namespace tenon
