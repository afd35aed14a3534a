// SPDX-License-Identifier: Apache-2.0
// The slabs of a learner on a device, with the same layout as the host's, and which of the two are newer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/device/block.hpp"
#include "base/device/device.hpp"
#include "compute/exec/device_slabs.hpp"
#include "engines/cuda/kernels.hpp"
#include "engines/cuda/queue.hpp"

namespace tenon::compiled::device {

// The most steps of one network in an update, by several stages.
inline constexpr std::size_t kStepsOfNetwork = 8;

// The numbers that a step of a network reads.
struct StepNumbers {
    union {
        AdamNumbers<float> adam;
        SgdNumbers<float> sgd;
        RmspropNumbers<float> rmsprop;
        LambNumbers<float> lamb;
    };
    float weight;  // of the soft move of its target
    float unused;
};

struct DeviceNetwork {
    Block live;
    Block target;
    Block reference;
    Block gradient;
    Block squares;  // the sums of its parts, if it is large
    Block used;     // a byte for each element of the gradient: 1 if it belongs to a parameter
    std::vector<Block> optimiser_state;
    std::int64_t tensor_count = 0;   // this and the next: for LAMB, after its first step
    Block tensors;                   // LambTensor by tensor, and then their rates
    StepNumbers* numbers = nullptr;  // on the device; this and the next: of kStepsOfNetwork steps
    double* norms = nullptr;         // of the stage whose first network this is
    std::size_t steps = 0;           // of the present update
    [[nodiscard]] StepNumbers* present() const { return numbers + steps; }
};

class Slabs final : public DeviceCopies, public DeviceSlabs {
public:
    // The slabs of the learner. The first call makes them; the learner keeps them.
    static Result<std::shared_ptr<Slabs>> of(const std::shared_ptr<Device>& device, Learner& learner);

    Slabs(std::shared_ptr<Device> device, Learner& learner) : device_(std::move(device)), learner_(learner) {}

    Status fetch_to_host(SlabKinds kinds) override;
    void changed_on_host() override { is_older_ = true; }

    Status begin_update() override;
    void changed(SlabKinds kinds) override { newer_ |= kinds; }
    Status send() override { return queue_->send(); }
    [[nodiscard]] std::byte* memory(std::size_t network, ParameterSlab which) const override;
    [[nodiscard]] std::byte* gradient(std::size_t network) const override {
        return networks_[network].gradient.memory();
    }

    Status keep_sums(StageStep& step) override;
    Status bring_sums(StageStep& step) override;
    Status leave_gradients(const StageStep& step, void* to) override;
    Status take_gradients(std::span<Network* const> networks) override;
    Status sum_gradients(std::span<Network* const> networks, DeviceLink& link) override;
    Status step_stage(const StagePlan& plan, const StageStep& step, std::span<const double> live) override;
    Result<double> norm_of(const StageStep& step) override;
    // The norms of all networks and steps.
    [[nodiscard]] double* device_norms() const { return reinterpret_cast<double*>(norms_.memory()); }

    [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
    // The queue of works for the device. A reader of the device's memory must send it first.
    [[nodiscard]] const std::shared_ptr<Queue>& queue() const { return queue_; }

private:
    Status make();
    Status copy_sums(StageStep& step, bool keeps);
    template <class F>
    Status each(SlabKinds kinds, F f);
    const double* add_norm(const StageStep& step);
    Status step_network(const StagePlan& plan, std::size_t i, std::size_t number, const double* norm,
                        std::span<const double> live);
    void add_step(const AdamPlan& plan, std::size_t number, const Stepping& of, std::span<const double> live);
    void add_step(const SgdPlan& plan, std::size_t number, const Stepping& of, std::span<const double> live);
    void add_step(const RmspropPlan& plan, std::size_t number, const Stepping& of, std::span<const double> live);
    void add_step(const LambPlan& plan, std::size_t number, const Stepping& of, std::span<const double> live);
    Status list_tensors(std::size_t number);
    void move_target(std::size_t number, const TargetPlan& plan, const double* norm, std::span<const double> live);
    void move_reference(std::size_t number, std::int64_t every, const double* norm);
    void follow(const Block& follower, const Block& live, std::int64_t soft, const double* norm,
                const float* weight = nullptr);
    Status enqueue_steps();
    [[nodiscard]] std::size_t number_of(const Network* network) const {
        return static_cast<std::size_t>(network - learner_.networks.data());
    }

    std::shared_ptr<Device> device_;
    Learner& learner_;
    std::vector<DeviceNetwork> networks_;
    std::shared_ptr<Queue> queue_;
    Block numbers_;              // StepNumbers by network and step
    Block norms_;                // the same, and a 0, which is finite
    std::vector<Launch> works_;  // this and the next: of a step, before it is enqueued
    std::vector<PutWord> words_;
    SlabKinds newer_ = 0;   // slabs of the device that are newer
    bool is_older_ = true;  // some slab of the device is outdated
};

}  // namespace tenon::compiled::device
