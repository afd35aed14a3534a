// SPDX-License-Identifier: Apache-2.0
#include "run/start/executor.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/log/log.hpp"
#include "compute/exec/deferred.hpp"
#include "compute/exec/device_engine.hpp"
#include "compute/exec/fused_nodes.hpp"
#include "compute/exec/reference_module.hpp"
#include "config/manifest/pace.hpp"
#include "engines/compiled/executor.hpp"
#include "engines/trust/trusting.hpp"
#include "plugins/plugin/library.hpp"
#include "run/start/libtorch.hpp"
#include "train/plan/update_device.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

void print(std::string_view line) {
    log(Level::kInfo, line);
}

Status make_folder(const std::filesystem::path& dump) {
    std::error_code code;
    std::filesystem::create_directories(dump, code);
    return code ? Status(environment_problem("the folder " + dump.string() + " cannot be created: " + code.message()))
                : Status();
}

Result<std::unique_ptr<Executor>> load_reference(DType real, const std::shared_ptr<Device>& device = nullptr) {
    Library module = TENON_TRY(load_reference_module());
    Result<void*> make = module.symbol("tenon_torch_executor");
    if (!make) {
        return environment_problem(make.error().sentence);
    }
    std::unique_ptr<Executor> executor(reinterpret_cast<MakeReferenceExecutor>(*make)(real, print, device));
    if (executor == nullptr) {
        return environment_problem("the reference executor could not be started");
    }
    return executor;
}

// Warns once if kernels cannot be compiled at run time; the program's own kernels then compute the same.
void hear_of_kernels(const std::shared_ptr<Device>& device, bool has_loops) {
    if (device == nullptr) {
        return;
    }
    device->say = print;
    if (device->table.device_type != TN_DEVICE_CUDA || device->jit == JitWhen::kNever || !has_loops) {
        return;
    }
    if (const Result<std::string> compiler = device->engine->find_compiler(); !compiler) {
        print("the loops of updates stay interpreted on " + device->name + ": " + compiler.error().sentence + "; " +
              compiler.error().help);
    }
}

// The programs that a run computes, in the order in which it makes them.
std::vector<const BuiltProgram*> computed_programs(const Wiring& w) {
    std::vector<const BuiltProgram*> out;
    const auto add = [&](const BuiltProgram& program, bool wanted) {
        if (wanted && program.exists() && std::ranges::find(out, &program) == out.end()) {
            out.push_back(&program);
        }
    };
    add(w.mode, w.manifest.parameter_noise.has_value());
    add(w.act, w.acts_by_graph());
    add(w.guide, true);
    for (const ObjectivePlan& plan : w.objectives) {
        add(plan.prepare, true);
        add(plan.update, true);
        add(plan.conclude, true);
    }
    add(w.evaluating(), w.acts_by_graph() && every(w.manifest.eval) > 0);
    return out;
}

// The objective whose update this program is; null if it is another program.
const ObjectivePlan* updated_by(const Wiring& w, const BuiltProgram* program) {
    const auto plan =
        std::ranges::find_if(w.objectives, [&](const ObjectivePlan& one) { return &one.update == program; });
    return plan == w.objectives.end() ? nullptr : &*plan;
}

}  // namespace

std::shared_ptr<Device> device_to_learn_on(const Wiring& wiring) {
    for (const ObjectivePlan& plan : wiring.objectives) {
        if (wiring.device != nullptr && wiring.manifest.run.learn_on == "auto" && !plan.on_cpu.empty()) {
            print("the updates of " + plan.unit.component + " are computed on the CPU: " + plan.on_cpu);
        }
    }
    return learns_on_device(wiring) ? wiring.device : nullptr;
}

Result<std::unique_ptr<Executor>> load_executor(const std::string& wanted, DType real, Pool* pool,
                                                const std::string& before, const std::filesystem::path& dump,
                                                std::shared_ptr<Device> device, bool updates, Exchange* exchange) {
    const std::string name = wanted == "auto" && !before.empty() ? before : wanted;
    if (name != "auto" && name != "reference" && name != "compiled") {
        return input_problem(
            "the run used the executor '" + name + "', which this program does not have", {},
            "resume it with the program that began it, or begin a new run with its weights: --from DIR");
    }
    if (name == "reference" && !dump.empty()) {
        return input_problem("--dump-graph shows compiled programs, but run.executor is \"reference\"");
    }
    TENON_TRY(dump.empty() ? Status() : make_folder(dump));
    hear_of_kernels(device, name != "reference");
    const bool reference_on_device = device != nullptr && wanted != "compiled" && libtorch_lacks(*device).empty();
    const compiled::Setting setting{.pool = pool,
                                    .dump = dump,
                                    .print = print,
                                    .device = std::move(device),
                                    .reference_on_device = reference_on_device,
                                    .exchange = exchange};
    const auto compiled_alone = [&] {
        // The reference executor only explains failures, so libtorch is mapped only when a failure occurs.
        return make_trusting(compiled::make_executor(make_deferred([real] { return load_reference(real); }), setting),
                             real);
    };
    if (wanted == "compiled") {
        return compiled_alone();
    }
    Result<std::unique_ptr<Executor>> reference = load_reference(real, reference_on_device ? setting.device : nullptr);
    if (!reference && name != "reference" && lacks_libtorch(reference.error())) {
        if (updates) {
            log(Level::kDebug,
                "libtorch is not installed, and this run does not need it: the compiled executor works alone, and its "
                "first updates are not compared with the reference");
        }
        return compiled_alone();
    }
    if (!reference) {
        return reference;
    }
    return make_trusting(name == "reference" ? std::move(*reference)
                                             : compiled::make_watched_executor(std::move(*reference), print, setting),
                         real);
}

Result<std::unique_ptr<Executor>> load_executor_of(const Wiring& wiring, Pool& pool, const std::string& before,
                                                   const std::filesystem::path& dump, std::shared_ptr<Device> device,
                                                   bool updates, Exchange* exchange) {
    if (!wiring.acts_by_graph() && !wiring.learns()) {
        return std::unique_ptr<Executor>();
    }
    return load_executor(wiring.manifest.run.executor, wiring.real(), &pool, before, dump, std::move(device), updates,
                         exchange);
}

Result<std::unique_ptr<Executor>> load_acting_executor(const Wiring& wiring, const Learner& learner, Pool& pool) {
    const std::string& wanted = wiring.manifest.run.executor;
    const bool compiles = wanted == "auto" && compiled::must_compile(wiring.act.spec(wiring.seed()), {}, learner);
    return load_executor(compiles ? "compiled" : wanted, wiring.real(), &pool);
}

void check_executor(const Wiring& w, Problems& problems) {
    for (const BuiltProgram* program : computed_programs(w)) {
        if (updated_by(w, program) != nullptr) {
            continue;  // wiring has checked kernels that need a gradient
        }
        for (Problem& problem : check_fused(program->graph, w.real())) {
            problems.push_back(brought_in(std::move(problem), program->place));
        }
    }
    if (!problems.empty() || w.manifest.run.executor != "compiled") {
        return;
    }
    const Result<Learner> learner = learner_without_values(w);
    if (!is_done(learner, problems)) {
        return;
    }
    for (const BuiltProgram* program : computed_programs(w)) {
        const auto seed = w.seed();
        const ObjectivePlan* const plan = updated_by(w, program);
        const std::span<const StagePlan> stages =
            plan != nullptr ? std::span<const StagePlan>(plan->stages) : std::span<const StagePlan>();
        is_done(brought_in(compiled::must_compile(program->spec(seed), stages, *learner), program->place), problems);
    }
}

}  // namespace tenon
