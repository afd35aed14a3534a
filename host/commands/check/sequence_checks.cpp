// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "commands/check/acting_run.hpp"
#include "compute/graph/builder.hpp"

namespace tenon {
namespace {

constexpr std::size_t kSteps = 24;
constexpr std::size_t kLanes = 5;
constexpr double kRounding = 1e-12;

// Episodes begin within the sequences, in some lanes at their first step and in one of them twice in a row.
std::vector<std::byte> beginnings() {
    std::vector<std::byte> out;
    for (std::size_t step = 0; step < kSteps; ++step) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const bool twice = lane == 1 && (step == 7 || step == 8);
            out.push_back(std::byte{twice || (lane != 2 && (step + 3 * lane) % 11 == 0)});
        }
    }
    return out;
}

struct Checked {
    const ActingRun& acting;
    std::vector<std::byte> begins = beginnings();

    [[nodiscard]] Result<BuiltProgram> build(const std::vector<graph::Dim>& leading) const;
    [[nodiscard]] PortRows rows_of(const BuiltProgram& program, std::size_t first, std::size_t count) const;
    [[nodiscard]] Result<Outcome> run(Program& program, const BuiltProgram& built, const PortRows& rows,
                                      std::size_t steps) const;
    [[nodiscard]] Result<std::vector<std::byte>> step_by_step() const;
    [[nodiscard]] Result<std::vector<std::byte>> at_once() const;
};

// The log-probability of the stored actions, or the action without noise if the policy has no log_prob.
Result<BuiltProgram> Checked::build(const std::vector<graph::Dim>& leading) const {
    const Wiring& wiring = acting.run->wiring();
    Layouts layouts = wiring.layouts;
    const BuildSite site{.networks = &wiring.networks,
                         .transforms = &wiring.transforms,
                         .layouts = &layouts,
                         .real = wiring.real(),
                         .groups = &wiring.groups,
                         .forgets = true};
    std::vector<graph::Column> columns = wiring.act_columns;
    std::ranges::copy_if(memory_columns(wiring.act, wiring.real()), std::back_inserter(columns),
                         [](const graph::Column& column) { return column.earlier == 0; });
    const auto assemble = [&](graph::Builder& builder) {
        const bool draws = graph::find_function(*acting.policy, "log_prob") != nullptr;
        std::vector<graph::ValueId> inputs;
        if (draws) {
            inputs.push_back(builder.read_column("action"));
        }
        const auto values = builder.build(*acting.policy, draws ? "log_prob" : "mode", inputs, "eval");
        if (!builder.failed()) {
            builder.write("result", values.front());
        }
        for (const graph::Named& memory : std::vector(builder.graph().remembered)) {
            builder.write(memory.name, memory.value);
        }
    };
    Problems problems;
    BuiltProgram out = build_by_hand(site, "check", columns, assemble, problems, leading);
    return problems.empty() ? Result(std::move(out)) : Result<BuiltProgram>(std::move(problems.front()));
}

// The inputs of the observed rows from `first` on, with memories of zeros.
PortRows Checked::rows_of(const BuiltProgram& program, std::size_t first, std::size_t count) const {
    PortRows out(program.inputs);
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        const auto column = acting.observed.columns.find(program.inputs[i].key);
        const bool is_memory = std::ranges::any_of(acting.run->wiring().act.graph.memories, [&](const auto& memory) {
            return memory.key == program.inputs[i].key;
        });
        const std::byte* const from = program.inputs[i].key == "is_init"                     ? begins.data()
                                      : is_memory || column == acting.observed.columns.end() ? nullptr
                                                                                             : column->second.data();
        if (from == nullptr) {
            out.columns[i].assign(count * out.bytes[i], std::byte{0});
        } else {
            out.append(i, from + first * out.bytes[i], count);
        }
    }
    return out;
}

Result<Outcome> Checked::run(Program& program, const BuiltProgram& built, const PortRows& rows,
                             std::size_t steps) const {
    const std::vector<const void*> inputs = rows.pointers();
    const Sizes sizes{.rows = 0, .time = static_cast<std::int64_t>(steps), .lanes = static_cast<std::int64_t>(kLanes)};
    Outcome out = acting.run->try_out(program, built, {}, {.inputs = inputs, .sizes = sizes});
    return out.status ? Result(std::move(out)) : Result<Outcome>(std::move(out.status.error()));
}

std::size_t port_of(const std::vector<Port>& ports, std::string_view key) {
    return static_cast<std::size_t>(std::ranges::find(ports, key, &Port::key) - ports.begin());
}

Result<std::vector<std::byte>> Checked::step_by_step() const {
    const BuiltProgram built = TENON_TRY(build({graph::kLanes}));
    const auto program = TENON_TRY(acting.program(*acting.run->executor, built));
    const std::size_t result = port_of(built.outputs, "result");
    std::vector<std::byte> out;
    std::vector<std::vector<std::byte>> before;
    for (std::size_t step = 0; step < kSteps; ++step) {
        PortRows rows = rows_of(built, step * kLanes, kLanes);
        for (std::size_t i = 0; i < built.outputs.size() && step > 0; ++i) {
            if (const std::size_t port = port_of(built.inputs, built.outputs[i].key); port < built.inputs.size()) {
                rows.columns[port] = before[i];
            }
        }
        Outcome now = TENON_TRY(run(*program, built, rows, 0));
        before = std::move(now.outputs);
        out.insert(out.end(), before[result].begin(), before[result].end());
    }
    return out;
}

Result<std::vector<std::byte>> Checked::at_once() const {
    const BuiltProgram built = TENON_TRY(build({graph::kTime, graph::kLanes}));
    const auto program = TENON_TRY(acting.program(*acting.run->executor, built));
    Outcome out = TENON_TRY(run(*program, built, rows_of(built, 0, kSteps * kLanes), kSteps));
    return std::move(out.outputs[port_of(built.outputs, "result")]);
}

// Whether the policy reads a memory that only another function updates, such as the function `step` of a world model.
bool is_moved_on_by_another(const graph::Graph& graph) {
    return std::ranges::any_of(graph.memories, [&](const graph::Memory& memory) {
        return std::ranges::find(graph.remembered, memory.key, &graph::Named::name) == graph.remembered.end();
    });
}

// A planner draws its candidates in evaluations, too.
bool draws(const graph::Graph& graph) {
    return std::ranges::any_of(
        graph.nodes, [](const graph::Node& node) { return graph::find_attribute(node, "stream") != nullptr; });
}

Verdict look_at_sequences(const ActingRun& acting) {
    if (acting.run->wiring().act.graph.memories.empty()) {
        return skipped("no policy of its run remembers");
    }
    const Checked checked{acting};
    const auto step = checked.build({graph::kLanes});
    if (step && draws(step->graph)) {
        return skipped("its function mode draws random numbers, and a step draws others than all steps at once");
    }
    if (step && is_moved_on_by_another(step->graph)) {
        return skipped("a network that it reads remembers in another of its functions, which has no place here");
    }
    const auto steps = checked.step_by_step();
    const auto whole = steps ? checked.at_once() : Result<std::vector<std::byte>>(std::vector<std::byte>());
    if (!steps || !whole) {
        const Problem& problem = steps ? whole.error() : steps.error();
        return problem.fault == Fault::kPlugin ? failed(problem) : skipped(problem.sentence);
    }
    const std::size_t width = steps->size() / sizeof(double) / (kSteps * kLanes);
    for (std::size_t i = 0; i < steps->size() / sizeof(double); ++i) {
        double a = 0;
        double b = 0;
        std::memcpy(&a, steps->data() + i * sizeof a, sizeof a);
        std::memcpy(&b, whole->data() + i * sizeof b, sizeof b);
        if (!(std::abs(a - b) <= kRounding * (1 + std::abs(a)))) {
            return failed("step " + std::to_string(i / width / kLanes) + " of " + std::to_string(kSteps) + " gives " +
                          std::to_string(a) + " step by step, but " + std::to_string(b) +
                          " if all steps are computed at once");
        }
    }
    return passed();
}

}  // namespace

Verdict check_sequences(const CheckSubject& subject) {
    return in_run_with(subject, kSteps * kLanes, look_at_sequences);
}

}  // namespace tenon
