// SPDX-License-Identifier: Apache-2.0
#include "commands/check/check_lists.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/data/action_mask.hpp"
#include "commands/check/acting_run.hpp"
#include "commands/check/action_fault.hpp"
#include "compute/exec/rows.hpp"

namespace tenon {
namespace {

constexpr std::size_t kRows = 64;

std::int64_t whole_number(const void* element, DType dtype) {
    return with_element(dtype, [&](auto zero) {
        std::memcpy(&zero, element, sizeof zero);
        return static_cast<std::int64_t>(zero);
    });
}

// Whether the mask allows the choices of the action: each part of each agent.
bool is_allowed(const ActionMask& mask, const std::byte* allowed, const Spec& spec, const std::byte* action) {
    const auto number = [&](std::size_t i) { return whole_number(action + i * size_of(spec.dtype), spec.dtype); };
    std::size_t at = 0;
    for (std::size_t part = 0; part < mask.agents * mask.parts.size(); ++part) {
        const auto choices = static_cast<std::size_t>(mask.parts[part % mask.parts.size()]);
        std::size_t chosen = 0;
        if (spec.kind == SpecKind::kOneHot) {
            while (chosen + 1 < choices && number(at + chosen) == 0) {
                ++chosen;
            }
        } else {
            chosen = static_cast<std::size_t>(number(part));
        }
        if (allowed[at + chosen] == std::byte{0}) {
            return false;
        }
        at += choices;
    }
    return true;
}

std::string fault_of_output(const ActingRun& acting, const Port& port, const std::vector<std::byte>& column,
                            bool drawn) {
    const Composite& specs = acting.run->wiring().env_specs;
    const Spec* const spec = specs.find(port.key);
    if (spec == nullptr || spec->role != Role::kAction) {
        return "";
    }
    const std::vector<ActionMask> masks = action_masks(specs);
    const auto mask = std::ranges::find(masks, port.key, &ActionMask::action);
    for (std::size_t i = 0; i < acting.observed.rows; ++i) {
        const std::byte* const row = &column[i * row_bytes(port)];
        if (const std::string fault = fault_of_action(*spec, row, drawn); !fault.empty()) {
            return "is " + fault;
        }
        if (mask != masks.end()) {
            const std::vector<std::byte>& allowed = acting.observed.columns.find(mask->key)->second;
            if (!is_allowed(*mask, &allowed[i * mask->size()], *spec, row)) {
                return "is an action that '" + mask->key + "' forbids";
            }
        }
    }
    return "";
}

Verdict look_at_actions(const ActingRun& acting) {
    const Wiring& wiring = acting.run->wiring();
    for (const bool drawn : {true, false}) {
        const BuiltProgram& program = drawn ? wiring.act : wiring.mode;
        const auto out = TENON_TRY(
            acting.forward(*acting.run->executor, program, acting.observed.of(program.inputs), acting.observed.rows));
        for (std::size_t i = 0; i < program.outputs.size(); ++i) {
            const Port& port = program.outputs[i];
            if (const std::string fault = fault_of_output(acting, port, out.outputs[i], drawn); !fault.empty()) {
                return failed("'" + port.key + "' of its " + (drawn ? "sample " : "mode ") + fault);
            }
        }
    }
    return passed();
}

Verdict look_at_executors(const ActingRun& acting) {
    const std::unique_ptr<Executor> compiling = TENON_TRY(acting.run->compiling());
    for (const BuiltProgram* const program : {&acting.run->wiring().act, &acting.run->wiring().mode}) {
        const PortRows rows = acting.observed.of(program->inputs);
        const auto theirs = TENON_TRY(acting.forward(*acting.run->executor, *program, rows, acting.observed.rows));
        const auto compiled = acting.program(*compiling, *program);
        if (!compiled) {
            return no_compiled_form(compiled.error());
        }
        const auto ours = TENON_TRY(acting.outputs(**compiled, *program, rows, acting.observed.rows));
        const auto found =
            difference(ours, theirs, program->spec(acting.run->seed), {}, acting.run->trainer->learner());
        if (found) {
            return failed("the two executors disagree: " + *found);
        }
    }
    return passed();
}

// Computes each lane separately, keeping its lane number.
Verdict look_at_lanes(const ActingRun& acting) {
    constexpr double kRounding = 1e-6;
    for (const BuiltProgram* const program : {&acting.run->wiring().act, &acting.run->wiring().mode}) {
        const PortRows rows = acting.observed.of(program->inputs);
        const auto made = TENON_TRY(acting.program(*acting.run->executor, *program));
        const auto together = TENON_TRY(acting.outputs(*made, *program, rows, acting.observed.rows));
        for (std::size_t lane = 0; lane < kRows; ++lane) {
            const std::array<std::size_t, 1> number = {lane};
            const auto alone = TENON_TRY(acting.outputs(*made, *program, rows.chosen(number), 1, lane));
            for (std::size_t i = 0; i < program->outputs.size(); ++i) {
                const Port& port = program->outputs[i];
                const Distance apart =
                    distance(chosen_rows(together.outputs[i], row_bytes(port), number), alone.outputs[i], port.dtype);
                if (apart.most > kRounding * (1 + apart.scale)) {
                    return failed("lane " + std::to_string(lane) + " computed among " +
                                  std::to_string(acting.observed.rows) + " lanes and alone differs in '" + port.key +
                                  "' by " + std::to_string(apart.most));
                }
            }
        }
    }
    return passed();
}

template <Verdict (*look)(const ActingRun&)>
Verdict on_rows(const CheckSubject& subject) {
    return in_acting_run(subject, kRows, look);
}

constexpr std::string_view kBuild = "tenon/abi/graph.h: build";

}  // namespace

std::span<const Check> acting_checks() {
    static const std::array<Check, 8> checks = {{
        graph_checks().front(),
        {"sequences give what single steps give", kBuild, check_sequences},
        {"gives valid actions, in both modes", kBuild, on_rows<look_at_actions>, kGate},
        {"both executors act alike", kBuild, on_rows<look_at_executors>},
        {"a lane's action does not depend on other lanes", kBuild, on_rows<look_at_lanes>},
        {"log_prob agrees with sample about a draw", kBuild, check_log_prob},
        {"entropy is the mean of -log_prob over draws", kBuild, check_entropy},
        {"kl of a distribution to itself is 0", kBuild, check_kl},
    }};
    return checks;
}

}  // namespace tenon
