// SPDX-License-Identifier: Apache-2.0
// An executor whose programs run in a marked region: what libtorch allocates in a call is counted apart.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "compute/exec/program.hpp"
#include "support/counted_allocations.hpp"

namespace tenon::test {

class MarkedProgram final : public Program {
public:
    MarkedProgram(std::unique_ptr<Program> inner, std::int64_t& calls) : inner_(std::move(inner)), calls_(calls) {}

    Result<Computed*> run(const Call& call) override {
        ++calls_;
        const MarkedRegion region;
        return inner_->run(call);
    }

private:
    std::unique_ptr<Program> inner_;
    std::int64_t& calls_;
};

class MarkedExecutor final : public Executor {
public:
    explicit MarkedExecutor(Executor& inner) : inner_(inner) {}

    [[nodiscard]] std::string_view name() const override { return inner_.name(); }

    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return mark(inner_.forward(spec, learner));
    }
    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        return mark(inner_.update(spec, std::move(stages), learner));
    }

    [[nodiscard]] std::int64_t calls() const { return calls_; }

private:
    Result<std::unique_ptr<Program>> mark(Result<std::unique_ptr<Program>> program) {
        if (!program) {
            return program;
        }
        return std::unique_ptr<Program>(std::make_unique<MarkedProgram>(std::move(*program), calls_));
    }

    Executor& inner_;
    std::int64_t calls_ = 0;
};

}  // namespace tenon::test
