// SPDX-License-Identifier: Apache-2.0
#include "commands/check/acting_run.hpp"

#include <algorithm>
#include <utility>

#include "commands/check/workbench.hpp"
#include "train/plan/acting_units.hpp"

namespace tenon {

Result<Outcome> ActingRun::outputs(Program& program, const BuiltProgram& built, const PortRows& rows, std::size_t count,
                                   std::uint64_t first) const {
    const std::vector<const void*> inputs = rows.pointers();
    const Sizes sizes{.rows = 0, .time = 0, .lanes = static_cast<std::int64_t>(count)};
    Outcome out = run->try_out(program, built, {}, {.inputs = inputs, .sizes = sizes, .counter = 0, .first = first});
    return out.status ? Result(std::move(out)) : Result<Outcome>(std::move(out.status.error()));
}

Result<Outcome> ActingRun::forward(Executor& executor, const BuiltProgram& built, const PortRows& rows,
                                   std::size_t count) const {
    const auto made = program(executor, built);
    return made ? outputs(**made, built, rows, count) : Result<Outcome>(made.error());
}

namespace {

Verdict in_run(const CheckSubject& subject, std::size_t rows, bool acts_itself,
               const std::function<Verdict(const ActingRun&)>& look) {
    Result<std::unique_ptr<WiredRun>> run = WiredRun::open(subject);
    if (!run) {
        return not_wired(run.error());
    }
    const std::vector<ActingUnit> acting = acting_units((*run)->wiring());
    const auto acts = std::ranges::find_if(
        acting, [&](const ActingUnit& one) { return !acts_itself || is_named(subject, one.policy->component); });
    if (acts == acting.end()) {
        return skipped("it is not the acting policy of " + subject.manifest->place.file);
    }
    TENON_TRY((*run)->start());
    Observed observed = TENON_TRY(Observed::collect(**run, rows));
    return look({.run = std::move(*run), .policy = acts->policy, .observed = std::move(observed)});
}

}  // namespace

Verdict in_acting_run(const CheckSubject& subject, std::size_t rows,
                      const std::function<Verdict(const ActingRun&)>& look) {
    return in_run(subject, rows, true, look);
}

Verdict in_run_with(const CheckSubject& subject, std::size_t rows,
                    const std::function<Verdict(const ActingRun&)>& look) {
    return in_run(subject, rows, false, look);
}

}  // namespace tenon
