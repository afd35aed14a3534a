// SPDX-License-Identifier: Apache-2.0
#include "engines/trust/trusting.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "compute/exec/fused_nodes.hpp"
#include "engines/trust/against_body.hpp"
#include "engines/trust/sample.hpp"
#include "engines/trust/slopes.hpp"

namespace tenon {
namespace {

class Tried final : public Program {
public:
    Tried(std::unique_ptr<Program> program, Executor& executor, const ProgramSpec& spec, std::vector<FusedUse> uses,
          Learner& learner)
        : program_(std::move(program)),
          executor_(executor),
          spec_(spec),
          graph_(*spec.graph),
          uses_(std::move(uses)),
          learner_(learner) {
        spec_.graph = &graph_;
    }

    Result<Computed*> run(const Call& call) override {
        if (!tried_) {
            TENON_TRY(attempt(call));
            tried_ = true;
        }
        return program_->run(call);
    }

private:
    Status attempt(const Call& call) {
        const std::vector<FusedSample> samples = TENON_TRY(sample_fused(executor_, spec_, learner_, call, uses_));
        for (const FusedSample& sample : samples) {
            const bool has_body = graph::body_of_fused(graph_, graph_.nodes[sample.use.node]) != 0;
            TENON_TRY(has_body ? check_body(executor_, graph_, sample, learner_, call.sizes)
                               : check_slopes(graph_, sample, learner_.real));
        }
        return {};
    }

    std::unique_ptr<Program> program_;
    Executor& executor_;
    ProgramSpec spec_;
    const graph::Graph graph_;
    std::vector<FusedUse> uses_;
    Learner& learner_;
    bool tried_ = false;
};

class Trusting final : public Executor {
public:
    Trusting(std::unique_ptr<Executor> inner, DType real) : inner_(std::move(inner)), real_(real) {}

    [[nodiscard]] std::string_view name() const override { return inner_->name(); }
    [[nodiscard]] std::shared_ptr<Device> device() const override { return inner_->device(); }
    [[nodiscard]] std::uint32_t equal_rows() const override { return inner_->equal_rows(); }

    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return tried(spec, learner, inner_->forward(spec, learner));
    }

    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        return tried(spec, learner, inner_->update(spec, std::move(stages), learner));
    }

private:
    Result<std::unique_ptr<Program>> tried(const ProgramSpec& spec, Learner& learner,
                                           Result<std::unique_ptr<Program>> made) {
        std::vector<FusedUse> uses = fused_uses(*spec.graph);
        if (uses.empty()) {
            return made;
        }
        if (Problems problems = check_fused(*spec.graph, real_); !problems.empty()) {
            return std::move(problems.front());
        }
        if (!made) {
            return made;
        }
        return std::unique_ptr<Program>(
            std::make_unique<Tried>(std::move(*made), *inner_, spec, std::move(uses), learner));
    }

    std::unique_ptr<Executor> inner_;
    DType real_;
};

}  // namespace

std::unique_ptr<Executor> make_trusting(std::unique_ptr<Executor> inner, DType real) {
    return std::make_unique<Trusting>(std::move(inner), real);
}

}  // namespace tenon
