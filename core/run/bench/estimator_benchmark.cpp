// SPDX-License-Identifier: Apache-2.0
#include "run/bench/estimator_benchmark.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "base/data/slab.hpp"
#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "plugins/plugin/host_services.hpp"
#include "run/start/executor.hpp"
#include "train/plan/programs.hpp"
#include "train/plan/units.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

constexpr double kEnds = -1.28;  // a tenth of the normal numbers are below it

std::vector<graph::Column> columns(DType real) {
    std::vector<graph::Column> out;
    for (const char* key : {"value", "next.value", "next.reward", "log_prob", "behaviour.log_prob"}) {
        Spec spec;
        spec.key = key;
        spec.dtype = real;
        out.push_back({std::move(spec), "the benchmark"});
    }
    for (const char* key : {"next.terminated", "next.done"}) {
        Spec spec;
        spec.key = key;
        spec.dtype = DType::kBool;
        out.push_back({std::move(spec), "the benchmark"});
    }
    return out;
}

Result<Slab> filled(const Port& port, std::size_t rows) {
    Result<Slab> made = Slab::make(rows * size_of(port.dtype));
    if (!made) {
        return made;
    }
    const tn_key key = make_key(0, port.key);
    std::vector<double> drawn(rows);
    fill_normal(key, 0, drawn.data(), drawn.size());
    for (std::size_t i = 0; i < rows; ++i) {
        switch (port.dtype) {
            case DType::kF64:
                made->as<double>()[i] = drawn[i];
                break;
            case DType::kF32:
                made->as<float>()[i] = static_cast<float>(drawn[i]);
                break;
            default:
                made->as<bool>()[i] = drawn[i] < kEnds;
                break;
        }
    }
    return made;
}

Result<EstimatorTimes> run(const EstimatorBenchmarkRequest& request, const BuiltProgram& built) {
    Result<std::unique_ptr<Executor>> executor = load_executor(request.executor, request.real);
    if (!executor) {
        return std::move(executor).error();
    }
    Learner learner;
    learner.real = request.real;
    Result<std::unique_ptr<Program>> program = (*executor)->forward(built.spec(0), learner);
    if (!program) {
        return std::move(program).error();
    }
    std::vector<Slab> slabs;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    const auto rows = static_cast<std::size_t>(request.steps * request.lanes);
    for (const auto* ports : {&built.inputs, &built.outputs}) {
        for (const Port& port : *ports) {
            Result<Slab> slab = filled(port, rows);
            if (!slab) {
                return std::move(slab).error();
            }
            (ports == &built.inputs ? static_cast<void>(inputs.push_back(slab->data()))
                                    : outputs.push_back(slab->data()));
            slabs.push_back(std::move(*slab));
        }
    }
    Call call;
    call.sizes = {.rows = 0, .time = request.steps, .lanes = request.lanes};
    call.inputs = inputs;
    call.outputs = outputs;
    Result<Times> times = time_calls([&] { return (*program)->run(call); }, request.seconds);
    if (!times) {
        return std::move(times).error();
    }
    return EstimatorTimes{.executor = std::string((*executor)->name()), .times = *times};
}

Result<EstimatorTimes> measure(const EstimatorBenchmarkRequest& request, Host& host, Problems& problems) {
    Result<ComponentInfo> info = host.registry.find("estimators/" + request.name);
    if (!info) {
        return std::move(info).error();
    }
    const ComponentTable table{
        .path = "estimator", .schema = "objective", .ref = {info->name, {}}, .options = {}, .place = {}};
    Part part{.table = &table, .info = *info, .values = {}, .loaded = {}};
    part.values = resolve_options(table, part.schema(), problems);
    Result<LoadedComponent> loaded = host.registry.load(*info, host.services.table());
    if (!loaded) {
        return std::move(loaded).error();
    }
    part.loaded = *loaded;
    Result<Instance> instance = instantiate(part, 0, 0, "");
    if (!instance) {
        return std::move(instance).error();
    }
    Result<graph::Unit> unit = unit_of(part, *instance, "objective", {});
    if (!unit) {
        return std::move(unit).error();
    }
    Layouts layouts;
    const std::vector<graph::Unit> networks;
    const BuildSite site{.networks = &networks, .layouts = &layouts, .real = request.real};
    const BuiltProgram built = build_whole_batch(site, *unit, "prepare", columns(request.real), problems);
    if (built.failed) {
        return EstimatorTimes{};  // the problems say why
    }
    return run(request, built);
}

}  // namespace

std::optional<EstimatorTimes> benchmark_estimator(const EstimatorBenchmarkRequest& request, Problems& problems) {
    Host host(1, Registry::scan({{installed_folder() / "estimators", "the program", {}}}));
    problems = host.registry.problems();
    Result<EstimatorTimes> result = measure(request, host, problems);
    if (!result) {
        problems.push_back(std::move(result).error());
        return std::nullopt;
    }
    return problems.empty() ? std::optional(*result) : std::nullopt;
}

}  // namespace tenon
