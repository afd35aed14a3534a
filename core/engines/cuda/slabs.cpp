// SPDX-License-Identifier: Apache-2.0
#include "engines/cuda/slabs.hpp"

#include <algorithm>
#include <utility>

#include "compute/parameters/squares.hpp"

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
    if (learner.elsewhere == nullptr) {
        auto made = std::make_shared<Slabs>(device, learner);
        if (Status done = made->make(); !done) {
            return std::move(done).error();
        }
        learner.elsewhere = std::move(made);
    }
    return std::static_pointer_cast<Slabs>(learner.elsewhere);
}

Status Slabs::make() {
    Result<Kernels> kernels = load_kernels(*device_);
    if (!kernels) {
        return std::move(kernels).error();
    }
    queue_ = std::make_shared<Queue>(device_, *kernels);
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
        NetworkThere& there = networks_.emplace_back();
        const std::size_t first = kStepsOfNetwork * (networks_.size() - 1);
        there.numbers = reinterpret_cast<StepNumbers*>(numbers_.memory()) + first;
        there.norms = norms_there() + first;
        give(there.live, network.live.size());
        give(there.target, network.target.size());
        give(there.reference, network.reference.size());
        give(there.gradient, network.gradient.size());
        const std::size_t parts = square_parts(network.layout.trainable_size);
        give(there.squares, parts > 1 ? parts * kSquareSums * sizeof(double) : 0);
        for (const NamedSlab& state : network.optimiser_state) {
            give(there.optimiser_state.emplace_back(), state.slab.size());
        }
        const std::vector<std::uint8_t> used = used_of(network.layout);
        give(there.used, used.size());
        if (done && !used.empty()) {
            done = there.used.write(used.data(), used.size());
        }
    }
    return done;
}

std::byte* Slabs::memory(std::size_t network, ParameterSlab which) const {
    const NetworkThere& there = networks_[network];
    return which == ParameterSlab::kTarget      ? there.target.memory()
           : which == ParameterSlab::kReference ? there.reference.memory()
                                                : there.live.memory();
}

// Calls f(the host's slab, the device's) until one fails.
template <class F>
Status Slabs::each(SlabKinds kinds, F f) {
    Status done;
    const auto both = [&](SlabKinds kind, Slab& here, Block& there) {
        if (done && (kinds & kind) != 0 && !here.empty()) {
            done = f(here, there);
        }
    };
    for (std::size_t i = 0; i < networks_.size(); ++i) {
        Network& network = learner_.networks[i];
        NetworkThere& there = networks_[i];
        both(kLiveSlabs, network.live, there.live);
        both(kFollowingSlabs, network.target, there.target);
        both(kFollowingSlabs, network.reference, there.reference);
        both(kGradientSlabs, network.gradient, there.gradient);
        for (std::size_t s = 0; s < there.optimiser_state.size(); ++s) {
            both(kOptimiserSlabs, network.optimiser_state[s].slab, there.optimiser_state[s]);
        }
    }
    return done;
}

Status Slabs::bring_home(SlabKinds kinds) {
    const SlabKinds some = kinds & newer_;
    newer_ &= ~some;
    Status sent = some == 0 ? Status() : queue_->send();
    return some == 0 || !sent
               ? sent
               : each(some, [](Slab& here, Block& there) { return there.read(here.data(), here.size()); });
}

Status Slabs::begin_update() {
    for (NetworkThere& network : networks_) {
        network.steps = 0;
    }
    if (!std::exchange(is_older_, false)) {
        return {};
    }
    // what the host did not change may be newer here
    if (Status home = bring_home(kAllSlabs & ~kGradientSlabs); !home) {
        return home;
    }
    if (Status sent = queue_->send(); !sent) {
        return sent;
    }
    return each(kAllSlabs & ~kGradientSlabs,
                [](Slab& here, Block& there) { return there.write(here.data(), here.size()); });
}

Status Slabs::leave_gradients(const StageStep& step, void* to) {
    if (Status sent = queue_->send(); !sent) {
        return sent;
    }
    auto* at = static_cast<std::byte*>(to);
    for (const Network* network : step.owned) {
        const Block& there = networks_[number_of(network)].gradient;
        if (Status left = there.size() > 0 ? there.read(at, there.size()) : Status(); !left) {
            return left;
        }
        at += there.size();
    }
    return {};
}

}  // namespace tenon::compiled::device
