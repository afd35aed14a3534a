// SPDX-License-Identifier: Apache-2.0
#include "compute/compiled/device/slabs.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "compute/compiled/device/work.hpp"
#include "compute/parameters/adam.hpp"

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

float* reals(const Block& block) {
    return reinterpret_cast<float*>(block.memory());
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
    kernels_ = *kernels;
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
    give(norm_, sizeof(double));
    for (const Network& network : learner_.networks) {
        NetworkThere& there = networks_.emplace_back();
        give(there.live, network.live.size());
        give(there.target, network.target.size());
        give(there.reference, network.reference.size());
        give(there.gradient, network.gradient.size());
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
    return some == 0 ? Status()
                     : each(some, [](Slab& here, Block& there) { return there.read(here.data(), here.size()); });
}

Status Slabs::take_newest() {
    if (!std::exchange(is_older_, false)) {
        return {};
    }
    // what the host did not change may be newer here
    if (Status home = bring_home(kAllSlabs & ~kGradientSlabs); !home) {
        return home;
    }
    return each(kAllSlabs & ~kGradientSlabs,
                [](Slab& here, Block& there) { return there.write(here.data(), here.size()); });
}

Status Slabs::leave_gradients(const StageStep& step, void* to) {
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

// Everything is enqueued before the norm is read, and does nothing if it is not finite.
Result<double> Slabs::step_stage(const StagePlan& plan, const StageStep& step, std::span<const double> live) {
    NormWork norm{};
    norm.norm = reinterpret_cast<double*>(norm_.memory());
    for (const Network* network : step.owned) {
        const Block& gradient = networks_[number_of(network)].gradient;
        const auto count = static_cast<std::int64_t>(network->layout.trainable_size);
        if (count == 0) {
            continue;
        }
        ScaleWork scale{.values = reals(gradient),
                        .count = count,
                        .factor = static_cast<float>(1 / static_cast<double>(step.gathered))};
        Status scaled =
            step.gathered > 1 ? launch_elements(*device_, kernels_, Kernel::kScale, count, &scale) : Status();
        if (!scaled) {
            return std::move(scaled).error();
        }
        norm.gradients[norm.count] = reals(gradient);
        norm.sizes[norm.count++] = count;
    }
    if (Status summed = launch_blocks(*device_, kernels_, Kernel::kNorm, 1, &norm); !summed) {
        return std::move(summed).error();
    }
    for (std::size_t i = 0; i < step.owned.size(); ++i) {
        if (Status stepped = step_network(plan, i, number_of(step.owned[i]), live); !stepped) {
            return std::move(stepped).error();
        }
    }
    changed(kAllSlabs);
    double out = 0;
    Status read = norm_.read(&out, sizeof out);
    return read ? Result<double>(out) : Result<double>(std::move(read).error());
}

// The network is the i-th that the stage owns.
Status Slabs::step_network(const StagePlan& plan, std::size_t i, std::size_t number, std::span<const double> live) {
    const auto& adam = std::get<AdamPlan>(plan.optimiser.rule);
    Network& network = learner_.networks[number];
    const NetworkThere& there = networks_[number];
    ++network.steps;
    const auto count = static_cast<std::int64_t>(network.layout.trainable_size);
    AdamWork work{.value = reals(there.live),
                  .gradient = reals(there.gradient),
                  .moment1 = reals(there.optimiser_state[0]),
                  .moment2 = reals(there.optimiser_state[1]),
                  .used = reinterpret_cast<const std::uint8_t*>(there.used.memory()),
                  .count = count,
                  .numbers = adam_numbers(adam, live, network.steps),
                  .decay = adam_decay(adam, live),
                  .clip_norm = plan.optimiser.clip_norm,
                  .norm = reinterpret_cast<const double*>(norm_.memory())};
    Status done = count == 0 ? Status() : launch_elements(*device_, kernels_, Kernel::kAdam, count, &work);
    if (done && i < plan.targets.size()) {
        done = move_target(number, plan.targets[i], live);
    }
    if (done && i < plan.references.size()) {
        done = move_reference(number, plan.references[i]);
    }
    return done;
}

// When they follow: as update_target and update_reference of compute/parameters.
Status Slabs::move_target(std::size_t number, const TargetPlan& plan, std::span<const double> live) {
    Network& network = learner_.networks[number];
    if (network.target.empty() || ++network.since_target < plan.every) {
        return {};
    }
    network.since_target = 0;
    return follow(networks_[number].target, number,
                  plan.soft ? static_cast<std::int64_t>(network.layout.trainable_size) : 0,
                  plan.soft ? static_cast<float>(live[plan.tau]) : 0.0F);
}

Status Slabs::move_reference(std::size_t number, std::int64_t every) {
    Network& network = learner_.networks[number];
    if (network.reference.empty() || every == 0 || ++network.since_reference < every) {
        return {};
    }
    network.since_reference = 0;
    return follow(networks_[number].reference, number, 0, 0);
}

Status Slabs::follow(const Block& follower, std::size_t number, std::int64_t soft, float weight) {
    const auto count = static_cast<std::int64_t>(follower.size() / sizeof(float));
    FollowWork work{.follower = reals(follower),
                    .live = reals(networks_[number].live),
                    .soft = soft,
                    .count = count,
                    .weight = weight,
                    .norm = reinterpret_cast<const double*>(norm_.memory())};
    return launch_elements(*device_, kernels_, Kernel::kFollow, count, &work);
}

}  // namespace tenon::compiled::device
