// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/program_benchmark.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "commands/bench/linked_alone.hpp"
#include "commands/bench/slow_device.hpp"
#include "engines/shards/shared_graph.hpp"
#include "run/start/executor.hpp"
#include "train/loop/trainer.hpp"
#include "train/plan/update_device.hpp"

namespace tenon {
namespace {

struct Measured {
    Times times;
    std::string executor;
    std::vector<Spent> spent;
    Enqueued enqueued;
};

Result<Measured> timed(const std::function<Status()>& call, double seconds, const auto& program,
                       const std::function<Status()>& finish = {}) {
    Result<Times> times = time_calls(call, seconds, finish);
    return times ? Result<Measured>(Measured{*times, std::string(program.computed_by()), {}, {}})
                 : Result<Measured>(std::move(times).error());
}

Result<Measured> measure_terms(Trainer& trainer, LearningUnit& unit, const ChosenRows& rows, bool gradients,
                               double seconds) {
    Updater& updater = unit.updater();
    const std::span<void* const> columns = TENON_TRY(updater.gather(rows));
    const std::vector<const void*> inputs(columns.begin(), columns.end());
    const Call call{.sizes = rows.sizes,
                    .inputs = inputs,
                    .numbers = trainer.numbers(),
                    .part = {.mode = gradients ? StepMode::kDryGradients : StepMode::kDryTerms}};
    Measured out = TENON_TRY(timed([&] { return updater.compute(call); }, seconds, updater));
    out.spent = TENON_TRY(updater.profile(call));
    return out;
}

// Those of two shards, which their number of rows does not change.
std::size_t messages_of(const Wiring& w) {
    return cost_of(share_rows(w.objectives.front().update.spec(0), w.real()), 1, 2).messages;
}

Status update(Trainer& trainer, LearningUnit& unit, ChosenRows& rows, Exchange* exchange) {
    const auto counter = static_cast<std::uint64_t>(trainer.standing().updates);
    if (unit.samples()) {
        ChosenRows chosen = TENON_TRY(unit.choose(counter));
        rows = chosen;
    }
    TENON_TRY(
        unit.updater().run(rows, {.numbers = trainer.numbers(), .random = {.counter = counter}, .exchange = exchange}));
    unit.count_update();
    return unit.samples() ? unit.prioritise() : Status();
}

Result<Measured> measure_acting(Trainer& trainer, Actor& actor, double seconds) {
    std::uint64_t counter = 0;
    RunNumbers numbers = trainer.numbers();
    return timed(
        [&] {
            Status acted = actor.act(trainer.source().storage(), numbers, counter++);
            numbers.same_parameters = true;  // as in the steps of a batch
            return acted;
        },
        seconds, actor);
}

Result<Measured> measure(Trainer& trainer, const Wiring& wiring, Executor* executor, Subject subject, double seconds,
                         Exchange* exchange) {
    if (subject == Subject::kAct) {
        return measure_acting(trainer, *trainer.source().actor(), seconds);
    }
    if (subject == Subject::kMode) {
        Result<Actor> actor = Actor::make(wiring.mode, static_cast<std::uint64_t>(wiring.manifest.run.seed), *executor,
                                          trainer.learner(), trainer.source().storage(), wiring.env_specs);
        return actor ? measure_acting(trainer, *actor, seconds) : Result<Measured>(std::move(actor).error());
    }
    LearningUnit& unit = trainer.units().front();
    ChosenRows rows = TENON_TRY(trainer.collect_minibatch(unit));
    if (subject == Subject::kUpdate) {
        const auto once = [&] { return update(trainer, unit, rows, exchange); };
        // The first run shows whether the program's results come later.
        TENON_TRY(once());
        const bool later = !unit.updater().is_told();
        Result<Measured> out =
            timed(once, seconds, unit.updater(), later ? [&] { return unit.settle(); } : std::function<Status()>());
        if (out) {
            out->enqueued = unit.updater().enqueued();
        }
        return out;
    }
    return measure_terms(trainer, unit, rows, subject == Subject::kGradients, seconds);
}

}  // namespace

std::filesystem::path benchmark_manifest(const std::string& name) {
    return name.ends_with(".toml") ? std::filesystem::path(name) : installed_folder() / "bench" / (name + ".toml");
}

std::vector<std::string> benchmark_names() {
    std::vector<std::string> out;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(installed_folder() / "bench", code)) {
        if (entry.path().extension() == ".toml") {
            out.push_back(entry.path().stem());
        }
    }
    std::ranges::sort(out);
    return out;
}

std::optional<ProgramTimes> benchmark_program(const Request& request, Subject subject, double seconds,
                                              Problems& problems, bool linked) {
    const std::size_t before = problems.size();
    Setup setup = set_up(request, problems);
    if (problems.size() != before) {
        return std::nullopt;
    }
    const Manifest& manifest = setup.wiring->manifest;
    announce_slow(setup.wiring->device.get());
    if (const auto& device = setup.wiring->device; device != nullptr && device->jit == JitWhen::kLater) {
        device->jit = JitWhen::kAtOnce;  // as runs use kernels after a while
    }
    const bool acts = subject == Subject::kAct || subject == Subject::kMode;
    if (!acts && !setup.wiring->learns()) {
        problems.push_back(input_problem("there is no [objective] to measure", manifest.place));
        return std::nullopt;
    }
    const auto fail = [&](Problem problem) {
        problems.push_back(std::move(problem));
        return std::nullopt;
    };
    std::unique_ptr<LinkedAlone> alone;
    if (linked) {
        if (!learns_on_device(*setup.wiring)) {
            return fail(input_problem("--linked measures updates on a device, and these are computed on the CPU",
                                      place_of(manifest, "run.device"), "set run.device"));
        }
        Result<std::unique_ptr<LinkedAlone>> opened = LinkedAlone::open(setup.wiring->device);
        if (!opened) {
            return fail(std::move(opened).error());
        }
        alone = std::move(*opened);
    }
    Result<std::unique_ptr<Executor>> executor =
        load_executor_of(*setup.wiring, setup.host->pool, {}, {}, device_to_learn_on(*setup.wiring));
    if (!executor) {
        return fail(std::move(executor).error());
    }
    Result<std::unique_ptr<Trainer>> trainer =
        Trainer::make(*setup.wiring, setup.running, *setup.host, executor->get());
    if (!trainer) {
        return fail(std::move(trainer).error());
    }
    if (acts && (*trainer)->source().actor() == nullptr) {
        return fail(input_problem("the acting policy is a procedure, not a graph: there is nothing to measure",
                                  manifest.place));
    }
    Result<Measured> measured = measure(**trainer, *setup.wiring, executor->get(), subject, seconds, alone.get());
    if (!measured) {
        return fail(std::move(measured).error());
    }
    std::size_t gradients = 0;
    for (const Network& network : (*trainer)->learner().networks) {
        gradients += network.gradient.size() / size_of(setup.wiring->real());
    }
    const bool learns_on_device =
        !acts && setup.wiring->device != nullptr && setup.wiring->objectives.front().on_cpu.empty();
    const bool is_on_device =
        learns_on_device || (subject == Subject::kAct && (*trainer)->source().on_device() != nullptr);
    return ProgramTimes{.executor = std::move(measured->executor),
                        .device = is_on_device ? setup.wiring->device->name : "cpu",
                        .dtype = manifest.run.dtype,
                        .threads = manifest.run.threads,
                        .lanes = manifest.env.lanes,
                        .times = measured->times,
                        .spent = std::move(measured->spent),
                        .enqueued = measured->enqueued,
                        .gradients = gradients,
                        .messages = acts ? 0 : messages_of(*setup.wiring)};
}

}  // namespace tenon
