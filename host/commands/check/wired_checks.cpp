// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "commands/check/fixed_draws.hpp"
#include "commands/check/fresh_memory.hpp"
#include "commands/check/port_rows.hpp"
#include "commands/check/wired_run.hpp"
#include "compute/exec/rows.hpp"
#include "compute/graph/text.hpp"

namespace tenon {
namespace {

Verdict check_same_graph(const CheckSubject& subject) {
    std::array<std::string, 2> texts;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        fill_fresh_memory(i == 0 ? 0x11 : 0xEE);
        const auto run = WiredRun::open(subject);
        if (!run) {
            return not_wired(run.error());
        }
        const Wiring& wiring = (*run)->wiring();
        texts[i] = learning_text(wiring) + graph::text(wiring.act.graph, graph::Places::kLeftOut) +
                   graph::text(wiring.mode.graph, graph::Places::kLeftOut);
    }
    if (texts[0] == texts[1]) {
        return passed();
    }
    const auto [one, other] = std::ranges::mismatch(texts[0], texts[1]);
    const auto line = std::count(texts[0].begin(), one, '\n') + 1;
    const std::size_t start = texts[0].rfind('\n', static_cast<std::size_t>(one - texts[0].begin())) + 1;
    return failed("two builds with the same options give different graphs, from line " + std::to_string(line) +
                  " on: " + texts[0].substr(start, texts[0].find('\n', start) - start));
}

// A started run, and one minibatch of its first frames.
struct Learning {
    std::unique_ptr<WiredRun> run;
    std::vector<const void*> inputs;
    Sizes sizes;

    static Result<Learning> start(const CheckSubject& subject);
    [[nodiscard]] const BuiltProgram& update() const { return run->wiring().objectives.front().update; }
    [[nodiscard]] Result<std::unique_ptr<Program>> program(Executor& executor, const BuiltProgram& built) const {
        return executor.update(built.spec(run->seed), run->wiring().objectives.front().stages, run->trainer->learner());
    }
    [[nodiscard]] Outcome try_out(Program& program, const BuiltProgram& built, const std::vector<const void*>& columns,
                                  std::uint64_t counter) const {
        return run->try_out(program, built, run->wiring().objectives.front().stages,
                            {.inputs = columns, .sizes = sizes, .counter = counter});
    }
};

Result<Learning> Learning::start(const CheckSubject& subject) {
    std::unique_ptr<WiredRun> run = TENON_TRY(WiredRun::start(subject));
    LearningUnit& unit = run->trainer->units().front();
    ChosenRows rows = TENON_TRY(run->trainer->collect_minibatch(unit));
    const std::span<void* const> columns = TENON_TRY(unit.updater().gather(rows));
    return Learning{.run = std::move(run), .inputs = {columns.begin(), columns.end()}, .sizes = rows.sizes};
}

Verdict check_executors(const CheckSubject& subject) {
    const Learning learning = TENON_TRY(Learning::start(subject));
    const WiredRun& run = *learning.run;
    const BuiltProgram& update = learning.update();
    const auto reference = TENON_TRY(learning.program(*run.executor, update));
    const std::unique_ptr<Executor> compiler = TENON_TRY(run.compiling());
    const auto compiled = learning.program(*compiler, update);
    if (!compiled) {
        return no_compiled_form(compiled.error());
    }
    for (std::uint64_t counter = 0; counter < 2; ++counter) {
        const Outcome theirs = learning.try_out(*reference, update, learning.inputs, counter);
        const Outcome ours = learning.try_out(**compiled, update, learning.inputs, counter);
        if (!theirs.status || !ours.status) {
            return failed((theirs.status ? ours : theirs).status.error());
        }
        if (const auto found = difference(ours, theirs, update.spec(run.seed), run.wiring().objectives.front().stages,
                                          run.trainer->learner())) {
            return failed("the two executors disagree: " + *found);
        }
    }
    return passed();
}

// The rows of a batch, or its sequences, in reverse order.
std::vector<std::size_t> last_ones_first(const Sizes& sizes) {
    const std::size_t times = sizes.time > 0 ? static_cast<std::size_t>(sizes.time) : 1;
    const std::size_t rows = row_count(sizes) / times;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < times * rows; ++i) {
        out.push_back(i / rows * rows + (rows - 1 - i % rows));
    }
    return out;
}

// Reversing the order twice gives the original order.
Verdict check_order(const CheckSubject& subject) {
    const Learning learning = TENON_TRY(Learning::start(subject));
    const WiredRun& run = *learning.run;
    const std::optional<FixedDraws> fixed = fix_draws(learning.update(), run.seed, 0, learning.sizes);
    if (!fixed) {
        return skipped("it draws several random numbers per row, which cannot be reordered with their row");
    }
    const BuiltProgram& built = fixed->program;
    const std::vector<std::size_t> order = last_ones_first(learning.sizes);
    PortRows rows(built.inputs);
    for (std::size_t i = 0; i < built.inputs.size(); ++i) {
        const std::size_t draws = learning.inputs.size();
        const void* const column = i < draws ? learning.inputs[i] : fixed->columns[i - draws].data();
        if (column != nullptr) {
            rows.append(i, column, order.size());
        }
    }
    const auto program = TENON_TRY(learning.program(*run.executor, built));
    const Outcome theirs = learning.try_out(*program, built, rows.pointers(), 0);
    Outcome ours = learning.try_out(*program, built, rows.chosen(order).pointers(), 0);
    if (!theirs.status || !ours.status) {
        return failed((theirs.status ? ours : theirs).status.error());
    }
    for (std::size_t i = 0; i < ours.outputs.size(); ++i) {
        ours.outputs[i] = chosen_rows(ours.outputs[i], row_bytes(built.outputs[i]), order);
    }
    const auto found = difference(ours, theirs, built.spec(run.seed), run.wiring().objectives.front().stages,
                                  run.trainer->learner(), {"with the rows reversed", "in the original order"});
    return found ? failed("the order of rows makes a difference: " + *found) : passed();
}

constexpr Check kSameGraph = {"builds the same graph each time",
                              "tenon/abi/graph.h: build",
                              check_same_graph,
                              {.gate = Gate::kAll, .wants_run = true}};
constexpr std::array<Check, 1> kGraphChecks = {{kSameGraph}};
constexpr std::array<Check, 3> kObjectiveChecks = {{
    kSameGraph,
    {"both executors agree on losses and gradients", "tenon/abi/graph.h: build", check_executors},
    {"the order of rows makes no difference", "tenon/abi/fused.h: forward", check_order},
}};

}  // namespace

std::span<const Check> objective_checks() {
    return kObjectiveChecks;
}

std::span<const Check> graph_checks() {
    return kGraphChecks;
}

}  // namespace tenon
