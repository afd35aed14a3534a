// SPDX-License-Identifier: Apache-2.0
// The phases of an update on a device, with the slabs of the device. A phase includes everything from its first node to
// its gradients. So a GPU can record it, and libtorch need not launch every kernel in each update. The host waits once
// for the values that it reads after a phase.
#pragma once

#include <memory>
#include <vector>

#include "engines/torch/computation.hpp"
#include "engines/torch/given.hpp"
#include "engines/torch/on_cuda.hpp"

namespace tenon::reference {

class DeviceComputation final : public Computation {
public:
    using Computation::Computation;

    Status begin(const PhasePlan& plan, const Call& call, bool keeps) override;
    Status compute(std::uint32_t phase, const Call& call) override;
    double mean(std::size_t effect) override { return effects_[effect]; }
    Status check(std::size_t effect, const Call& call) override;
    double loss(std::size_t index) override { return losses_[index]; }
    void differentiate(std::size_t /*place*/) override {}  // the phase has done it
    void store_gradients(std::size_t place, bool add) override;
    void stepped(std::size_t place) override;
    Problem blame(std::string what, std::uint32_t phase, const Call& call) override;
    DeviceSlabs* slabs() override { return placement_.slabs.get(); }

private:
    // The results of a phase.
    struct Left {
        std::vector<at::Tensor> values;                  // by value
        std::vector<std::vector<at::Tensor>> gradients;  // by place in PhasePlan::sequence
        at::Tensor results;                              // what the host reads, as float64
        std::vector<graph::NodeId> looked_at;  // nodes with indices, whether they are in range: the last results
        std::unique_ptr<Recording> recording = nullptr;
    };
    // Calls of a plan with the same sizes and columns.
    struct Alike {
        const PhasePlan* plan;
        Sizes sizes;
        std::vector<bool> columns;  // which are given
        Given given;
        std::vector<Left> phases;
        int calls = 0;
        bool records = true;  // false: something cannot be recorded
    };

    void find_alike(const PhasePlan& plan, const Call& call);
    void compute_all(std::uint32_t phase, const Call& call, Left& left);
    void gather_results(std::uint32_t phase, Left& left, const std::vector<at::Tensor>& out_of_range);
    bool record(std::uint32_t phase, const Call& call, Left& left);
    Status read_results(std::uint32_t phase, const Left& left);

    std::vector<std::unique_ptr<Alike>> all_;  // the one that ran last comes first
    Alike* at_ = nullptr;
    std::vector<double> effects_;  // this and the next: results of the present run
    std::vector<double> losses_;
    Status failed_;  // the failure of a call that could not return it
};

}  // namespace tenon::reference
