// SPDX-License-Identifier: Apache-2.0
#include "run/env_benchmark.hpp"

#include <utility>

#include "isolation/isolate.hpp"
#include "manifest/manifest.hpp"
#include "manifest/options.hpp"
#include "plugin/host_services.hpp"
#include "plugin/registry.hpp"
#include "quarantine/gate.hpp"
#include "random/key.hpp"

namespace tenon {
namespace {

constexpr double kSeconds = 1.0;
constexpr std::uint64_t kEnvSeed = 0;

Result<EnvBench> measure(const EnvBenchmarkRequest& request, Registry& registry, Pool& pool,
                         const HostServices& services, Problems& problems) {
    Result<ComponentInfo> info = registry.find(request.component, "env", "bench env", {});
    if (!info) {
        return std::move(info).error();
    }
    const ComponentTable table{
        .path = "env", .schema = "env", .ref = {request.component, {}}, .options = {}, .place = {}};
    const std::vector<OptionValue> values = resolve_options(table, info->note->options, problems);
    IsolationRules rules;
    rules.workers = static_cast<std::uint32_t>(request.workers);
    Result<LoadedComponent> loaded =
        request.workers > 0 ? isolate(*info, rules, services.table()) : registry.load(*info, services.table());
    if (!loaded) {
        return std::move(loaded).error();
    }
    const auto lanes_wanted = static_cast<std::uint32_t>(request.lanes);
    Result<Instance> instance = Instance::create(*loaded, values, lanes_wanted, make_key(kEnvSeed, "env"));
    if (!instance) {
        return std::move(instance).error();
    }
    Result<Lanes> lanes = Lanes::make(std::move(*instance), {}, {}, lanes_wanted, pool);
    if (!lanes) {
        return std::move(lanes).error();
    }
    return bench_env(*lanes, pool, kSeconds, kEnvSeed);
}

}  // namespace

std::optional<EnvBench> benchmark_env(const EnvBenchmarkRequest& request, Problems& problems) {
    Pool pool(static_cast<unsigned>(request.threads));
    const HostServices services(pool);
    Registry registry = Registry::scan(search_folders(request.plugins), {}, admit);
    problems = registry.problems();
    Result<EnvBench> result = measure(request, registry, pool, services, problems);
    if (!result) {
        problems.push_back(std::move(result).error());
        return std::nullopt;
    }
    return problems.empty() ? std::optional(*result) : std::nullopt;
}

}  // namespace tenon
