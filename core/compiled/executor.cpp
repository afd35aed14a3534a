// SPDX-License-Identifier: Apache-2.0
#include "compiled/executor.hpp"

#include <string>
#include <utility>

#include "compiled/program.hpp"

namespace tenon::compiled {
namespace {

class CompilingExecutor final : public Executor {
public:
    CompilingExecutor(std::unique_ptr<Executor> reference, Say say) : reference_(std::move(reference)), say_(say) {}

    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        Result<std::unique_ptr<Program>> plain = reference_->forward(spec, learner);
        if (!plain || !spec.graph->prints.empty()) {
            return plain;
        }
        return make_program(spec, {}, learner, std::move(*plain), notice(spec.name));
    }

    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        Result<std::unique_ptr<Program>> plain = reference_->update(spec, stages, learner);
        if (!plain || !spec.graph->prints.empty()) {
            return plain;
        }
        return make_program(spec, std::move(stages), learner, std::move(*plain), notice(spec.name));
    }

private:
    [[nodiscard]] Notice notice(const std::string& program) const {
        return [say = say_, program](const Problem& why) {
            if (say != nullptr) {
                const std::string place = why.place.file.empty()
                                              ? std::string()
                                              : " (" + why.place.file + ":" + std::to_string(why.place.line) + ")";
                say("the program '" + program + "' runs on the reference executor: " + why.sentence + place);
            }
        };
    }

    std::unique_ptr<Executor> reference_;
    Say say_;
};

}  // namespace

std::unique_ptr<Executor> make_executor(std::unique_ptr<Executor> reference, Say say) {
    return std::make_unique<CompilingExecutor>(std::move(reference), say);
}

}  // namespace tenon::compiled
