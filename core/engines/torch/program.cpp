// SPDX-License-Identifier: Apache-2.0
#include "engines/torch/program.hpp"

#include <ATen/core/grad_mode.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <optional>
#include <utility>

#include "compute/exec/driver.hpp"
#include "engines/torch/device_computation.hpp"
#include "engines/torch/guard.hpp"
#include "engines/torch/on_cuda.hpp"

namespace tenon::reference {
namespace {

// A program that catches libtorch's exceptions, and restores the modes of its threads.
class Guarded final : public Program {
public:
    Guarded(std::unique_ptr<Program> driver, Computation& computation, bool updates, std::shared_ptr<Device> device)
        : driver_(std::move(driver)), computation_(computation), updates_(updates), device_(std::move(device)) {}

    Result<Computed*> run(const Call& call) override {
        use_one_thread();
        const OnStream stream(device_.get());
        const c10::AutoGradMode no_gradient(false);
        std::optional<c10::InferenceMode> inference;
        if (!updates_) {
            inference.emplace();
        }
        const auto inside = [&]() -> Result<Computed*> {
            try {
                return driver_->run(call);
            } catch (...) {
                return computation_.problem_of_run(std::current_exception());
            }
        };
        Result<Computed*> done = inside();
        if (updates_) {
            computation_.clear();
        }
        return done;
    }

private:
    std::unique_ptr<Program> driver_;
    Computation& computation_;  // of the driver
    bool updates_;
    std::shared_ptr<Device> device_;  // null: it computes on the CPU
};

}  // namespace

Result<std::unique_ptr<Program>> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, DType real,
                                              Learner& learner, PrintLine print, Placement placement) {
    const OnStream stream(placement.device.get());
    const at::NoGradGuard no_grad;
    const bool updates = !stages.empty();
    auto computation = placement.slabs == nullptr
                           ? std::make_unique<Computation>(spec, stages, real, learner)
                           : std::make_unique<DeviceComputation>(spec, stages, real, learner, placement);
    Computation& seen = *computation;
    std::unique_ptr<Program> driver = TENON_TRY(drive(spec, std::move(stages), learner, std::move(computation), print));
    return std::unique_ptr<Program>(std::make_unique<Guarded>(std::move(driver), seen, updates, placement.device));
}

}  // namespace tenon::reference
