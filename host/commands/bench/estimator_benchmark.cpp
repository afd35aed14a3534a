// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/estimator_benchmark.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/data/key.hpp"
#include "base/data/slab.hpp"
#include "base/device/own_kernels.hpp"
#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "compute/exec/device_engine.hpp"
#include "config/manifest/options.hpp"
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
    for (const std::string& key : {std::string("value"), next_key("value"), next_key("reward"), std::string("log_prob"),
                                   std::string("behaviour.log_prob")}) {
        Spec spec;
        spec.key = key;
        spec.dtype = real;
        out.push_back({std::move(spec), "the benchmark"});
    }
    for (const std::string_view key : {kNextTerminated, kNextDone}) {
        Spec spec;
        spec.key = key;
        spec.dtype = DType::kBool;
        out.push_back({std::move(spec), "the benchmark"});
    }
    return out;
}

Result<Slab> filled(const Port& port, std::size_t rows) {
    Slab made = TENON_TRY(Slab::make(rows * size_of(port.dtype)));
    const tn_key key = make_key(0, port.key);
    std::vector<double> drawn(rows);
    fill_normal(key, 0, drawn.data(), drawn.size());
    for (std::size_t i = 0; i < rows; ++i) {
        switch (port.dtype) {
            case DType::kF64:
                made.as<double>()[i] = drawn[i];
                break;
            case DType::kF32:
                made.as<float>()[i] = static_cast<float>(drawn[i]);
                break;
            default:
                made.as<bool>()[i] = drawn[i] < kEnds;
                break;
        }
    }
    return made;
}

// Memory of a device; that of the host if there is none.
class Blocks {
public:
    explicit Blocks(std::shared_ptr<Device> device) : device_(std::move(device)) {}
    Blocks(const Blocks&) = delete;
    Blocks& operator=(const Blocks&) = delete;
    ~Blocks() {
        for (void* const each : memory_) {
            device_->table.free(device_->table.ctx, each);
        }
    }

    Result<void*> make(std::uint64_t bytes) {
        void* out = nullptr;
        TENON_TRY(told(*device_, device_->table.alloc(device_->table.ctx, bytes, &out)));
        memory_.push_back(out);
        return out;
    }
    // The address of a slab's values.
    Result<void*> place(Slab& slab) {
        if (device_ == nullptr) {
            return static_cast<void*>(slab.data());
        }
        Result<void*> out = make(slab.size());
        if (out) {
            Status written = told(*device_, device_->table.write(device_->table.ctx, *out, slab.data(), slab.size()));
            return written ? out : Result<void*>(std::move(written).error());
        }
        return out;
    }
    Status wait() {
        std::byte first{};
        return told(*device_, device_->table.read(device_->table.ctx, &first, memory_.front(), 1));
    }

private:
    std::shared_ptr<Device> device_;
    std::vector<void*> memory_;
};

Result<EstimatorTimes> run(const EstimatorBenchmarkRequest& request, const BuiltProgram& built) {
    const Result<std::shared_ptr<Device>> opened =
        open_device_or_cpu(request.device, JitWhen::kAtOnce);  // as runs use kernels after a while
    if (!opened) {
        return opened.error();
    }
    const std::shared_ptr<Device>& device = *opened;
    std::unique_ptr<Executor> executor =
        TENON_TRY(load_executor(request.executor, request.real, nullptr, {}, {}, device, true));
    if (device != nullptr && executor->device() == nullptr) {
        return input_problem("the " + std::string(executor->name()) + " executor has no kernels: with --device " +
                             request.device + " it is --executor compiled");
    }
    Learner learner;
    learner.real = request.real;
    ProgramSpec spec = built.spec(0);
    spec.residence = device != nullptr ? Residence::kDevice : Residence::kHost;
    std::unique_ptr<Program> program = TENON_TRY(executor->forward(spec, learner));
    std::vector<Slab> slabs;
    Blocks blocks(device);
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    const auto rows = static_cast<std::size_t>(request.steps * request.lanes);
    for (const auto* ports : {&built.inputs, &built.outputs}) {
        for (const Port& port : *ports) {
            Slab slab = TENON_TRY(filled(port, rows));
            void* at = TENON_TRY(blocks.place(slab));
            (ports == &built.inputs ? static_cast<void>(inputs.push_back(at)) : outputs.push_back(at));
            slabs.push_back(std::move(slab));
        }
    }
    Call call{
        .sizes = {.rows = 0, .time = request.steps, .lanes = request.lanes}, .inputs = inputs, .outputs = outputs};
    std::function<Status()> finish;
    if (device != nullptr) {
        void* fault = TENON_TRY(blocks.make(sizeof(std::uint64_t)));
        call.fault = static_cast<std::uint32_t*>(fault);
        finish = [&blocks] { return blocks.wait(); };
    }
    Computed* computed = nullptr;
    const auto once = [&]() -> Status {
        computed = TENON_TRY(program->run(call));
        return {};
    };
    const Times times = TENON_TRY(time_calls(once, request.seconds, finish));
    std::vector<Spent> spent = TENON_TRY(computed->profile(call));
    return EstimatorTimes{.executor = std::string(executor->name()), .times = times, .spent = std::move(spent)};
}

Result<EstimatorTimes> measure(const EstimatorBenchmarkRequest& request, Host& host, Problems& problems) {
    ComponentInfo info = TENON_TRY(host.registry.find("estimators/" + request.name));
    const ComponentTable table{
        .path = "estimator", .schema = "objective", .ref = {info.name, {}}, .options = {}, .place = {}};
    Part part{.table = &table, .info = info, .values = {}, .loaded = {}};
    part.values = resolve_options(table, part.schema(), problems);
    LoadedComponent loaded = TENON_TRY(host.registry.load(info, host.services.table()));
    part.loaded = loaded;
    Instance instance = TENON_TRY(instantiate(part, 0, 0, ""));
    graph::Unit unit = TENON_TRY(unit_of(part, instance, "objective", {}));
    Layouts layouts;
    const std::vector<graph::Unit> networks;
    const BuildSite site{.networks = &networks, .layouts = &layouts, .real = request.real};
    const BuiltProgram built = build_whole_batch(site, unit, "prepare", columns(request.real), problems);
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
    if (!is_done(result, problems)) {
        return std::nullopt;
    }
    return problems.empty() ? std::optional(*result) : std::nullopt;
}

}  // namespace tenon
