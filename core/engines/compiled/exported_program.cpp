// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/exported_program.hpp"

#include <memory>
#include <utility>

#include "engines/compiled/graph_rewrites.hpp"
#include "engines/compiled/specialised.hpp"
#include "engines/compiled/tape.hpp"

namespace tenon::compiled {
namespace {

ExportedLoop exported(const Loop& loop) {
    ExportedLoop out{.count = loop.count, .slots = loop.slots, .loads = {}, .steps = {}, .stores = {}};
    for (const Load& load : loop.loads) {
        out.loads.push_back({.view = load.view, .slot = load.slot});
    }
    for (std::size_t i = 0; i < loop.steps.size(); ++i) {
        out.steps.push_back({.op = loop.ops[i], .in = loop.steps[i].in, .out = loop.steps[i].out});
    }
    for (const Store& store : loop.stores) {
        out.stores.push_back({.view = store.view, .slot = store.slot});
    }
    return out;
}

}  // namespace

std::size_t ExportedProgram::element_bytes(Kind kind) const {
    return bytes_of(kind, real);
}

graph::Graph exported_graph(const graph::Graph& graph) {
    return with_plain_attention(graph);
}

Result<ExportedProgram> export_program(const ProgramSpec& spec, const Learner& learner, const PhasePlan& plan,
                                       Sizes sizes) {
    const std::unique_ptr<Specialised> made = TENON_TRY(specialise({.spec = spec,
                                                                    .stages = {},
                                                                    .learner = learner,
                                                                    .plan = plan,
                                                                    .sizes = sizes,
                                                                    .pool = nullptr,
                                                                    .plain = true}));
    const Tape& tape = made->tape;
    ExportedProgram out{.real = tape.real(), .listing = tape.listing(), .instructions = {}, .effects = {}};
    for (const Instruction& instruction : tape.instructions()) {
        if (const auto* loop = std::get_if<Loop>(&instruction.what)) {
            out.instructions.emplace_back(exported(*loop));
        } else {
            out.instructions.emplace_back(std::get<std::uint32_t>(instruction.what));
        }
    }
    for (const Seen& effect : made->effects) {
        out.effects.push_back(effect.view);
    }
    return out;
}

}  // namespace tenon::compiled
