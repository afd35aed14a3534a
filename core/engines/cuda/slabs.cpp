// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/slabs.hpp"

#include <algorithm>
#include <utility>

#include "compute/parameters/squares.hpp"
#include "engines/cuda/gradient_link.hpp"

namespace tenon::compiled::device {
namespace {

// Which elements of the gradient belong to a parameter.
std::vector<std::uint8_t> used_of(const NetworkLayout& layout) {
    std::vector<std::uint8_t> out(layout.trainable_size, 0);
    for (const Parameter& parameter : layout.parameters) {
        if (parameter.trainable) {
            std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(parameter.offset), parameter.size, std::uint8_t{1});
        }
    }
    return out;
}

}  // namespace

Result<std::shared_ptr<Slabs>> Slabs::of(const std::shared_ptr<Device>& device, Learner& learner) {
    if (learner.on_device == nullptr) {
        auto made = std::make_shared<Slabs>(device, learner);
        TENON_TRY(made->make());
        learner.on_device = std::move(made);
    }
    return std::static_pointer_cast<Slabs>(learner.on_device);
}

Status Slabs::make() {
    Kernels kernels = TENON_TRY(load_kernels(*device_));
    queue_ = std::make_shared<Queue>(device_, kernels);
    Status done;
    const auto give = [&](Block& block, std::size_t bytes) {
        if (done && bytes > 0) {
            Result<Block> made = Block::make(device_, bytes);
            if (made) {
                block = std::move(*made);
            } else {
                done = std::move(made).error();
            }
        }
    };
    const std::size_t steps = kStepsOfNetwork * learner_.networks.size();
    give(numbers_, sizeof(StepNumbers) * steps);
    give(norms_, sizeof(double) * (steps + 1));
    for (const Network& network : learner_.networks) {
        DeviceNetwork& on_device = networks_.emplace_back();
        const std::size_t first = kStepsOfNetwork * (networks_.size() - 1);
        on_device.numbers = reinterpret_cast<StepNumbers*>(numbers_.memory()) + first;
        on_device.norms = device_norms() + first;
        give(on_device.live, network.live.size());
        give(on_device.target, network.target.size());
        give(on_device.reference, network.reference.size());
        give(on_device.gradient, network.gradient.size());
        const std::size_t parts = square_parts(network.layout.trainable_size);
        give(on_device.squares, parts > 1 ? parts * kSquareSums * sizeof(double) : 0);
        for (const NamedSlab& state : network.optimiser_state) {
            give(on_device.optimiser_state.emplace_back(), state.slab.size());
        }
        const std::vector<std::uint8_t> used = used_of(network.layout);
        give(on_device.used, used.size());
        if (done && !used.empty()) {
            done = on_device.used.write(used.data(), used.size());
        }
    }
    return done;
}

std::byte* Slabs::memory(std::size_t network, ParameterSlab which) const {
    const DeviceNetwork& on_device = networks_[network];
    return which == ParameterSlab::kTarget      ? on_device.target.memory()
           : which == ParameterSlab::kReference ? on_device.reference.memory()
                                                : on_device.live.memory();
}

// Calls f(slab of the host, slab of the device) until one fails.
template <class F>
Status Slabs::each(SlabKinds kinds, F f) {
    Status done;
    const auto both = [&](SlabKinds kind, Slab& here, Block& on_device) {
        if (done && (kinds & kind) != 0 && !here.empty()) {
            done = f(here, on_device);
        }
    };
    for (std::size_t i = 0; i < networks_.size(); ++i) {
        Network& network = learner_.networks[i];
        DeviceNetwork& on_device = networks_[i];
        both(kLiveSlabs, network.live, on_device.live);
        both(kFollowingSlabs, network.target, on_device.target);
        both(kFollowingSlabs, network.reference, on_device.reference);
        both(kGradientSlabs, network.gradient, on_device.gradient);
        for (std::size_t s = 0; s < on_device.optimiser_state.size(); ++s) {
            both(kOptimiserSlabs, network.optimiser_state[s].slab, on_device.optimiser_state[s]);
        }
    }
    return done;
}

Status Slabs::fetch_to_host(SlabKinds kinds) {
    const SlabKinds some = kinds & newer_;
    newer_ &= ~some;
    Status sent = some == 0 ? Status() : queue_->send();
    return some == 0 || !sent
               ? sent
               : each(some, [](Slab& here, Block& on_device) { return on_device.read(here.data(), here.size()); });
}

Status Slabs::begin_update() {
    for (DeviceNetwork& network : networks_) {
        network.steps = 0;
    }
    if (!std::exchange(is_older_, false)) {
        return {};
    }
    // slabs that the host did not change may be newer on the device
    TENON_TRY(fetch_to_host(kAllSlabs & ~kGradientSlabs));
    TENON_TRY(queue_->send());
    return each(kAllSlabs & ~kGradientSlabs,
                [](Slab& here, Block& on_device) { return on_device.write(here.data(), here.size()); });
}

Status Slabs::leave_gradients(const StageStep& step, void* to) {
    TENON_TRY(queue_->send());
    auto* at = static_cast<std::byte*>(to);
    for (const Network* network : step.owned) {
        const Block& on_device = networks_[number_of(network)].gradient;
        TENON_TRY(on_device.size() > 0 ? on_device.read(at, on_device.size()) : Status());
        at += on_device.size();
    }
    return {};
}

Status Slabs::sum_gradients(std::span<Network* const> networks, DeviceLink& link) {
    std::vector<std::span<float>> gradients;
    for (const Network* network : networks) {
        const Block& on_device = networks_[number_of(network)].gradient;
        if (on_device.size() > 0) {
            gradients.emplace_back(reinterpret_cast<float*>(on_device.memory()), on_device.size() / sizeof(float));
        }
    }
    return static_cast<GradientLink&>(link).sum(gradients, *queue_);
}

Status Slabs::take_gradients(std::span<Network* const> networks) {
    for (const Network* network : networks) {
        Block& on_device = networks_[number_of(network)].gradient;
        TENON_TRY(on_device.size() > 0 ? on_device.write(network->gradient.data(), on_device.size()) : Status());
    }
    return {};
}

}  // namespace tenon::compiled::device
