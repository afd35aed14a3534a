// SPDX-License-Identifier: Apache-2.0
// The slabs of a learner on a device, with the layout of the host's, and which of the two are newer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/device/device.hpp"
#include "compute/compiled/device/block.hpp"
#include "compute/compiled/device/kernels.hpp"
#include "compute/exec/phased.hpp"
#include "compute/parameters/elsewhere.hpp"

namespace tenon::compiled::device {

struct NetworkThere {
    Block live;
    Block target;
    Block reference;
    Block gradient;
    Block used;  // a byte for each element of the gradient: 1 if it belongs to a parameter
    std::vector<Block> optimiser_state;
};

class Slabs final : public Elsewhere, public SlabsThere {
public:
    // Those of the learner, made at the first call; it keeps them.
    static Result<std::shared_ptr<Slabs>> of(const std::shared_ptr<Device>& device, Learner& learner);

    Slabs(std::shared_ptr<Device> device, Learner& learner) : device_(std::move(device)), learner_(learner) {}

    Status bring_home(SlabKinds kinds) override;
    void changed_at_home() override { is_older_ = true; }

    // Copies to the device what the host has changed since.
    Status take_newest();
    // A kernel that changes them has been enqueued.
    void changed(SlabKinds kinds) { newer_ |= kinds; }

    Status leave_gradients(const StageStep& step, void* to) override;
    Result<double> step_stage(const StagePlan& plan, const StageStep& step, std::span<const double> live) override;

    [[nodiscard]] const std::shared_ptr<Device>& device() const { return device_; }
    [[nodiscard]] const Kernels& kernels() const { return kernels_; }
    [[nodiscard]] std::byte* memory(std::size_t network, ParameterSlab which) const;
    [[nodiscard]] std::byte* gradient(std::size_t network) const { return networks_[network].gradient.memory(); }

private:
    Status make();
    template <class F>
    Status each(SlabKinds kinds, F f);
    Status step_network(const StagePlan& plan, std::size_t i, std::size_t number, std::span<const double> live);
    Status move_target(std::size_t number, const TargetPlan& plan, std::span<const double> live);
    Status move_reference(std::size_t number, std::int64_t every);
    Status follow(const Block& follower, std::size_t number, std::int64_t soft, float weight);
    [[nodiscard]] std::size_t number_of(const Network* network) const {
        return static_cast<std::size_t>(network - learner_.networks.data());
    }

    std::shared_ptr<Device> device_;
    Learner& learner_;
    Kernels kernels_;
    std::vector<NetworkThere> networks_;
    Block norm_;            // a double
    SlabKinds newer_ = 0;   // those of the device
    bool is_older_ = true;  // something of the device
};

}  // namespace tenon::compiled::device
