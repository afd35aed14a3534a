// SPDX-License-Identifier: Apache-2.0
// The exports of the module.
#include <ATen/Parallel.h>
#include <malloc.h>

#include <limits>

#include "compute/exec/build_id.hpp"
#include "compute/exec/device_engine.hpp"
#include "compute/exec/phase_plan.hpp"
#include "compute/exec/reference_module.hpp"
#include "engines/torch/guard.hpp"
#include "engines/torch/on_cuda.hpp"
#include "engines/torch/program.hpp"

namespace tenon::reference {
namespace {

class ReferenceExecutor final : public Executor {
public:
    ReferenceExecutor(DType real, PrintLine print, std::shared_ptr<Device> device)
        : real_(real), print_(print), device_(std::move(device)) {}

    [[nodiscard]] std::string_view name() const override { return "reference"; }

    Result<std::unique_ptr<Program>> forward(const ProgramSpec& spec, Learner& learner) override {
        return made(spec, {}, learner, {});
    }

    Result<std::unique_ptr<Program>> update(const ProgramSpec& spec, std::vector<StagePlan> stages,
                                            Learner& learner) override {
        TENON_TRY(check_stages(spec, stages));
        Result<Placement> placement = where(spec, stages, learner);
        return placement ? made(spec, std::move(stages), learner, std::move(*placement))
                         : Result<std::unique_ptr<Program>>(std::move(placement).error());
    }

private:
    [[nodiscard]] Result<Placement> where(const ProgramSpec& spec, std::span<const StagePlan> stages,
                                          Learner& learner) const {
        if (device_ == nullptr || !device_->engine->check_steps(spec, stages, learner)) {
            return Placement();
        }
        std::shared_ptr<DeviceSlabs> slabs = TENON_TRY(device_->engine->slabs(device_, learner));
        const tn_device& table = device_->table;
        const bool gpu = table.device_type == TN_DEVICE_CUDA;
        return Placement{
            .device = device_,
            .slabs = std::move(slabs),
            .place = gpu ? at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(table.device_id)) : at::kCPU};
    }

    Result<std::unique_ptr<Program>> made(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                          Placement placement) const {
        try {
            return make_program(spec, std::move(stages), real_, learner, print_, std::move(placement));
        } catch (...) {
            return problem_of(std::current_exception(), spec.name, *spec.graph, 0);
        }
    }

    DType real_;
    PrintLine print_;
    std::shared_ptr<Device> device_;
};

// Every program allocates and frees the same tensors in each run. glibc would return large ones to the system, which
// zeroes the pages on the next allocation: a tenth of an update's time.
void keep_memory() {
#if defined(__GLIBC__)
    constexpr int kLargest = 32 << 20;  // the largest value that glibc accepts
    ::mallopt(M_MMAP_THRESHOLD, kLargest);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

// Once per process: results must not depend on the machine's number of cores.
void settle_libtorch() {
    static const bool done = [] {
        keep_memory();
        try {
            at::set_num_interop_threads(1);
        } catch (const c10::Error&) {
            // somebody else in this process has already used libtorch's pool, which we never do
            return false;
        }
        return true;
    }();
    static_cast<void>(done);
    use_one_thread();
}

}  // namespace
}  // namespace tenon::reference

extern "C" {

__attribute__((visibility("default"))) tenon::Executor* tenon_torch_executor(
    tenon::DType real, tenon::PrintLine print, const std::shared_ptr<tenon::Device>& device) {
    tenon::reference::settle_libtorch();
    return new tenon::reference::ReferenceExecutor(real, print, device);
}

__attribute__((visibility("default"))) const char* tenon_module_build() {
    return tenon::build_id();
}

__attribute__((visibility("default"))) const char* tenon_torch_lacks(std::int32_t device_type) {
    return device_type == TN_DEVICE_CUDA ? tenon::reference::lacks_cuda() : nullptr;
}
}
