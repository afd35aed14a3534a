// SPDX-License-Identifier: Apache-2.0
#include "commands/check/wired_run.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "commands/check/naming_tables.hpp"
#include "commands/check/workbench.hpp"
#include "run/start/executor.hpp"

namespace tenon {
namespace {

std::vector<Override> overrides_of(const CheckSubject& subject) {
    std::vector<Override> out;
    const auto put = [&](std::string text) { out.push_back({std::move(text), "tenon check"}); };
    put("run.dtype=float64");
    put("run.executor=reference");
    put("run.threads=1");
    put("run.seed=" + std::to_string(subject.seed));
    for (const std::string& table : tables_naming(subject)) {
        if (subject.file->shipped) {  // the shipped one, even if another plugin has its name
            put(table + ".plugin=\"" + std::string(kShipped) + full_name(subject) + "\"");
        }
        const bool takes_sets = table == subject.component->kind || table.starts_with("policy.");
        for (std::size_t i = 0; takes_sets && i < subject.sets.size(); ++i) {
            put(table + "." + subject.sets[i]);
        }
    }
    return out;
}

Request request_of(const CheckSubject& subject) {
    Request out{.manifest = subject.manifest->place.file};
    out.plugins = {{subject.file->path.parent_path(), "tenon check", {}}};
    std::ranges::copy(subject.plugins, std::back_inserter(out.plugins));
    return out;
}

}  // namespace

Result<std::unique_ptr<WiredRun>> WiredRun::open(const CheckSubject& subject) {
    auto out = std::make_unique<WiredRun>();
    out->seed = subject.seed;
    Problems problems;
    Document manifest = *subject.manifest;
    put_on(manifest, overrides_of(subject), problems);
    out->setup = set_up(manifest, request_of(subject), problems);
    if (!problems.empty()) {
        return std::move(problems.front());
    }
    return out;
}

Result<std::unique_ptr<WiredRun>> WiredRun::start(const CheckSubject& subject) {
    Result<std::unique_ptr<WiredRun>> out = open(subject);
    TENON_TRY(out ? (*out)->start() : Status());
    return out;
}

Status WiredRun::start() {
    executor = TENON_TRY(load_executor_of(wiring(), setup.host->pool));
    trainer = TENON_TRY(Trainer::make(wiring(), setup.running, *setup.host, executor.get()));
    return {};
}

Result<std::unique_ptr<Executor>> WiredRun::compiling() const {
    return load_executor("compiled", wiring().real(), &setup.host->pool);
}

Outcome WiredRun::try_out(Program& program, const BuiltProgram& built, std::span<const StagePlan> stages,
                          const Rows& rows) const {
    std::vector<double> losses(built.graph.losses.size());
    std::vector<double> metrics(built.graph.metrics.size());
    std::vector<double> controls(built.graph.controls.size());
    std::vector<double> norms(stages.size());
    std::vector<void*> outputs(built.outputs.size(), &losses);  // a dummy address, which is replaced
    const Call call{.sizes = rows.sizes,
                    .inputs = rows.inputs,
                    .outputs = outputs,
                    .numbers = trainer->numbers(),
                    .random = {.counter = rows.counter, .first_row = rows.first},
                    .results = {.losses = losses, .metrics = metrics, .gradient_norms = norms, .controls = controls}};
    return tenon::try_out(program, built.spec(seed), stages, trainer->learner(), call);
}

Verdict not_wired(const Problem& problem) {
    const Place& at = problem.place;
    const std::string where = at.line == 0 ? "" : " (" + at.file + ":" + std::to_string(at.line) + ")";
    return problem.fault == Fault::kPlugin ? failed(problem.sentence + where)
                                           : skipped("its manifest has an error: " + problem.sentence);
}

Verdict no_compiled_form(const Problem& problem) {
    return skipped("it has no compiled form, so the reference executor computes it: " + problem.sentence);
}

}  // namespace tenon
