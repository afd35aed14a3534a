// SPDX-License-Identifier: Apache-2.0
#include "check/wired_checks.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "check/workbench.hpp"
#include "compiled/executor.hpp"
#include "compiled/outcome.hpp"
#include "exec/rows.hpp"
#include "file/read.hpp"
#include "graph/text.hpp"
#include "plugin/search_path.hpp"
#include "run/executor.hpp"
#include "run/setup.hpp"
#include "train/trainer.hpp"

namespace tenon {
namespace {

Request request_of(const CheckSubject& subject) {
    Request out{.manifest = subject.manifest};
    out.overrides = {"run.dtype=float64", "run.executor=reference", "run.threads=1",
                     "run.seed=" + std::to_string(subject.seed)};
    for (const std::string& set : subject.sets) {
        if (subject.component->kind == "objective") {
            out.overrides.push_back("objective." + set);
        }
    }
    out.plugins = {{subject.file->path.parent_path(), "tenon check", {}}};
    return out;
}

// A wired run on the reference executor, with one minibatch of what it has collected.
struct Bench {
    Setup setup;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Trainer> trainer;
    std::vector<const void*> inputs;
    Sizes sizes;

    static Result<std::unique_ptr<Bench>> make(const CheckSubject& subject);
    Status collect();
    [[nodiscard]] ProgramSpec spec() const { return setup.wiring->update.spec(subject_seed); }
    [[nodiscard]] compiled::Outcome try_out(Program& program, std::uint64_t counter) const;
    std::uint64_t subject_seed = 0;
};

Result<std::unique_ptr<Bench>> Bench::make(const CheckSubject& subject) {
    auto out = std::make_unique<Bench>();
    out->subject_seed = subject.seed;
    Problems problems;
    out->setup = set_up(request_of(subject), problems);
    if (!problems.empty()) {
        return problems.front();
    }
    Result<std::unique_ptr<Executor>> executor = load_executor_of(*out->setup.wiring, out->setup.host->pool);
    if (!executor) {
        return std::move(executor.error());
    }
    out->executor = std::move(*executor);
    Result<std::unique_ptr<Trainer>> trainer = Trainer::make(*out->setup.wiring, *out->setup.host, out->executor.get());
    if (!trainer) {
        return std::move(trainer.error());
    }
    out->trainer = std::move(*trainer);
    if (Status collected = out->collect(); !collected) {
        return std::move(collected.error());
    }
    return out;
}

Status Bench::collect() {
    Result<Minibatch> rows = trainer->collect_minibatch();
    if (!rows) {
        return std::move(rows.error());
    }
    sizes = rows->sizes;
    const std::span<void* const> columns = trainer->updater()->gather(*rows);
    inputs.assign(columns.begin(), columns.end());
    return {};
}

compiled::Outcome Bench::try_out(Program& program, std::uint64_t counter) const {
    const BuiltProgram& update = setup.wiring->update;
    const RunNumbers numbers = trainer->numbers();
    std::vector<double> losses(update.graph.losses.size());
    std::vector<double> metrics(update.graph.metrics.size());
    std::vector<double> controls(update.graph.controls.size());
    std::vector<double> norms(setup.wiring->stages.size());
    std::vector<void*> outputs(update.outputs.size(), losses.data());  // anything: it is replaced
    Call call = make_call(sizes, inputs, numbers, counter);
    call.losses = losses;
    call.metrics = metrics;
    call.controls = controls;
    call.gradient_norms = norms;
    call.outputs = outputs;
    return compiled::try_out(program, update.spec(subject_seed), setup.wiring->stages, trainer->learner(), call);
}

// What the manifest is to blame for says nothing about the plugin.
Verdict not_wired(const Problem& problem) {
    return problem.fault == Fault::kPlugin ? failed(problem)
                                           : skipped("its manifest cannot be wired: " + problem.sentence);
}

Verdict check_same_graph(const CheckSubject& subject) {
    std::array<std::string, 2> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        ::mallopt(M_PERTURB, i == 0 ? 0x11 : 0xEE);
        Problems problems;
        const Setup setup = set_up(request_of(subject), problems);
        if (!problems.empty()) {
            return not_wired(problems.front());
        }
        texts[i] = learning_text(*setup.wiring) + graph::text(setup.wiring->act.graph, graph::Places::kLeftOut) +
                   graph::text(setup.wiring->mode.graph, graph::Places::kLeftOut);
    }
    if (texts[0] == texts[1]) {
        return passed();
    }
    const auto [one, other] = std::ranges::mismatch(texts[0], texts[1]);
    const auto line = std::count(texts[0].begin(), one, '\n') + 1;
    const std::size_t start = texts[0].rfind('\n', static_cast<std::size_t>(one - texts[0].begin())) + 1;
    return failed("built twice with the same options it is another graph, from line " + std::to_string(line) +
                  " on: " + texts[0].substr(start, texts[0].find('\n', start) - start));
}

Verdict check_executors(const CheckSubject& subject) {
    const Result<std::unique_ptr<Bench>> made = Bench::make(subject);
    if (!made) {
        return failed(made.error());
    }
    const Bench& bench = **made;
    const Wiring& wiring = *bench.setup.wiring;
    Learner& learner = bench.trainer->learner();
    const Result<std::unique_ptr<Program>> reference = bench.executor->update(bench.spec(), wiring.stages, learner);
    if (!reference) {
        return failed(reference.error());
    }
    const Result<std::unique_ptr<Executor>> beside = load_executor("compiled", wiring.real(), &bench.setup.host->pool);
    if (!beside) {
        return failed(beside.error());
    }
    const Result<std::unique_ptr<Program>> compiled = (*beside)->update(bench.spec(), wiring.stages, learner);
    if (!compiled) {
        return skipped("it has no compiled form, so the reference computes it: " + compiled.error().sentence);
    }
    for (std::uint64_t counter = 0; counter < 2; ++counter) {
        const compiled::Outcome theirs = bench.try_out(**reference, counter);
        const compiled::Outcome ours = bench.try_out(**compiled, counter);
        if (!theirs.status || !ours.status) {
            return failed((theirs.status ? ours : theirs).status.error());
        }
        if (const auto found = compiled::difference(ours, theirs, bench.spec(), wiring.stages, learner)) {
            return failed("the two executors disagree: " + *found);
        }
    }
    return passed();
}

constexpr Check kSameGraph = {.name = "builds the same graph each time",
                              .breaks = "tenon/abi/graph.h: build",
                              .run = check_same_graph,
                              .gate = Gate::kAll};
constexpr std::array<Check, 1> kGraphChecks = {{kSameGraph}};
constexpr std::array<Check, 2> kObjectiveChecks = {{
    kSameGraph,
    {.name = "both executors agree on losses and gradients",
     .breaks = "tenon/abi/graph.h: build",
     .run = check_executors},
}};

}  // namespace

std::span<const Check> objective_checks() {
    return kObjectiveChecks;
}

std::span<const Check> graph_checks() {
    return kGraphChecks;
}

std::filesystem::path manifest_with(const std::string& component) {
    std::vector<std::filesystem::path> found;
    std::error_code code;
    for (std::filesystem::directory_iterator it(installed_folder() / "bench", code), end; !code && it != end;
         it.increment(code)) {
        const Result<std::string> text = it->path().extension() == ".toml" ? read_file(it->path()) : std::string();
        if (text && text->find('"' + component + '"') != std::string::npos) {
            found.push_back(it->path());
        }
    }
    std::ranges::sort(found);
    return found.empty() ? std::filesystem::path() : found.front();
}

}  // namespace tenon
