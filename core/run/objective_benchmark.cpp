// SPDX-License-Identifier: Apache-2.0
#include "run/objective_benchmark.hpp"

#include <utility>
#include <vector>

#include "run/executor.hpp"
#include "train/trainer.hpp"

namespace tenon {
namespace {

// Enough transitions for one minibatch.
Status collect(Trainer& trainer, const Manifest& manifest) {
    if (!manifest.buffer) {
        return trainer.collect_batch();
    }
    const std::int64_t frames = manifest.train.minibatch + manifest.env.lanes;
    for (std::int64_t done = 0; done < frames; done += manifest.env.lanes) {
        if (Status stepped = trainer.collect(); !stepped) {
            return stepped;
        }
    }
    return {};
}

struct Measured {
    Times times;
    std::vector<Spent> spent;
};

Result<Measured> measure(Trainer& trainer, const Manifest& manifest, bool gradients, double seconds) {
    if (Status done = collect(trainer, manifest); !done) {
        return std::move(done).error();
    }
    Result<Minibatch> rows = trainer.next_minibatch();
    if (!rows) {
        return std::move(rows).error();
    }
    Updater& updater = *trainer.updater();
    const std::span<void* const> columns = updater.gather(*rows);
    const std::vector<const void*> inputs(columns.begin(), columns.end());
    const StepPart part{.dry = true, .gradients = gradients};
    Result<Times> times =
        time_calls([&] { return updater.compute(inputs, rows->sizes, trainer.numbers(), 0, part); }, seconds);
    if (!times) {
        return std::move(times).error();
    }
    Result<std::vector<Spent>> spent = updater.profile(inputs, rows->sizes, trainer.numbers(), part);
    if (!spent) {
        return std::move(spent).error();
    }
    return Measured{*times, std::move(*spent)};
}

}  // namespace

std::filesystem::path benchmark_manifest(const std::string& name) {
    return name.ends_with(".toml") ? std::filesystem::path(name) : installed_folder() / "bench" / (name + ".toml");
}

std::optional<ObjectiveTimes> benchmark_objective(const Request& request, bool gradients, double seconds,
                                                  Problems& problems) {
    const std::size_t before = problems.size();
    const Setup setup = set_up(request, problems);
    if (problems.size() != before) {
        return std::nullopt;
    }
    const Manifest& manifest = setup.wiring->manifest;
    if (!setup.wiring->learns()) {
        problems.push_back(input_problem("there is no [objective] to measure", manifest.place));
        return std::nullopt;
    }
    const auto fail = [&](Problem problem) {
        problems.push_back(std::move(problem));
        return std::nullopt;
    };
    Result<std::unique_ptr<Executor>> executor = load_executor_of(*setup.wiring);
    if (!executor) {
        return fail(std::move(executor).error());
    }
    Result<std::unique_ptr<Trainer>> trainer = Trainer::make(*setup.wiring, *setup.host, executor->get());
    if (!trainer) {
        return fail(std::move(trainer).error());
    }
    Result<Measured> measured = measure(**trainer, manifest, gradients, seconds);
    if (!measured) {
        return fail(std::move(measured).error());
    }
    return ObjectiveTimes{.executor = std::string((*executor)->name()),
                          .dtype = manifest.run.dtype,
                          .threads = manifest.run.threads,
                          .times = measured->times,
                          .spent = std::move(measured->spent)};
}

}  // namespace tenon
