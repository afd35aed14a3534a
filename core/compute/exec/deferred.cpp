// SPDX-License-Identifier: Apache-2.0
#include "compute/exec/deferred.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compute/graph/graph.hpp"

namespace tenon {
namespace {

// Shared by an executor and its programs.
struct Behind {
    LoadExecutor load;
    std::optional<Result<std::unique_ptr<Executor>>> executor;

    Result<std::unique_ptr<Executor>>& get() {
        if (!executor) {
            executor.emplace(load());
        }
        return *executor;
    }
};

using MakeProgram = std::function<Result<std::unique_ptr<Program>>(Executor& executor, const ProgramSpec& spec)>;

class DeferredProgram final : public Program {
public:
    DeferredProgram(std::shared_ptr<Behind> behind, const ProgramSpec& spec, MakeProgram make)
        : behind_(std::move(behind)), graph_(*spec.graph), spec_(spec), make_(std::move(make)) {
        spec_.graph = &graph_;
    }

    Result<Computed*> run(const Call& call) override {
        TENON_TRY(make());
        return program_->run(call);
    }

private:
    Status make() {
        if (program_ != nullptr) {
            return {};
        }
        Result<std::unique_ptr<Executor>>& executor = behind_->get();
        if (!executor) {
            return executor.error();
        }
        program_ = TENON_TRY(make_(**executor, spec_));
        return {};
    }

    std::shared_ptr<Behind> behind_;  // must outlive the program, which its executor owns
    graph::Graph graph_;
    ProgramSpec spec_;
    MakeProgram make_;
    std::unique_ptr<Program> program_;
};

class DeferredExecutor final : public Executor {
public:
    explicit DeferredExecutor(LoadExecutor load) : behind_(std::make_shared<Behind>()) {
        behind_->load = std::move(load);
    }

    [[nodiscard]] std::string_view name() const override { return "reference"; }

    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return later(spec,
                     [&learner](Executor& executor, const ProgramSpec& own) { return executor.forward(own, learner); });
    }

    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        return later(spec, [&learner, stages = std::move(stages)](Executor& executor, const ProgramSpec& own) {
            return executor.update(own, stages, learner);
        });
    }

private:
    Result<std::unique_ptr<Program>> later(const ProgramSpec& spec, MakeProgram make) const {
        return std::unique_ptr<Program>(std::make_unique<DeferredProgram>(behind_, spec, std::move(make)));
    }

    std::shared_ptr<Behind> behind_;
};

}  // namespace

std::unique_ptr<Executor> make_deferred(LoadExecutor load) {
    return std::make_unique<DeferredExecutor>(std::move(load));
}

}  // namespace tenon
