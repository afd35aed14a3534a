// SPDX-License-Identifier: Apache-2.0
// Executors that compute another op in the place of tanh, for what watches them.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/exec/program.hpp"
#include "support.hpp"

namespace tenon::test {

struct Counted final : Program {
    explicit Counted(std::unique_ptr<Program> of) : inner(std::move(of)) {}
    Result<Computed*> run(const Call& call) override {
        ++runs;
        return inner->run(call);
    }

    std::unique_ptr<Program> inner;
    int runs = 0;
};

// The reference executor, but for what it makes of tanh.
struct Wrong final : Executor {
    explicit Wrong(std::string_view op) : instead(op) {}

    [[nodiscard]] std::string_view name() const override { return "wrong"; }

    ProgramSpec altered(const ProgramSpec& spec) {
        graph = *spec.graph;
        for (graph::Node& node : graph.nodes) {
            if (node.op != nullptr && node.op->name == "tanh") {
                node.op = graph::find_op(instead, 1);
            }
        }
        ProgramSpec out = spec;
        out.graph = &graph;
        return out;
    }

    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return executor(learner.real)->forward(altered(spec), learner);
    }
    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        return executor(learner.real)->update(altered(spec), std::move(stages), learner);
    }

    std::string_view instead;
    graph::Graph graph;
};

}  // namespace tenon::test
