// SPDX-License-Identifier: Apache-2.0
#include "compute/compiled/device/slabs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "base/device/own_kernels.hpp"
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

// The words of a value that is to be there.
template <class T>
void put_words(std::vector<PutWord>& words, const void* there, const T& value) {
    constexpr std::size_t kBytes = sizeof(T);
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    static_assert(kBytes % kWord == 0);
    for (std::size_t at = 0; at < kBytes; at += kWord) {
        PutWord& word = words.emplace_back();
        word.to = reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(const_cast<void*>(there)) + at);
        std::memcpy(&word.value, reinterpret_cast<const std::byte*>(&value) + at, sizeof word.value);
    }
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
    give(numbers_, sizeof(StepNumbers) * learner_.networks.size());
    for (const Network& network : learner_.networks) {
        NetworkThere& there = networks_.emplace_back();
        there.numbers = reinterpret_cast<StepNumbers*>(numbers_.memory()) + (networks_.size() - 1);
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
    Status sent = some == 0 ? Status() : queue_->send();
    return some == 0 || !sent
               ? sent
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

// What follows the norm does nothing if it is not finite.
Status Slabs::step_stage(const StagePlan& plan, const StageStep& step, std::span<const double> live) {
    double* const at = norm_there(number_of(step.owned.front()));
    NormWork norm{};
    norm.norm = at;
    for (const Network* network : step.owned) {
        const Block& gradient = networks_[number_of(network)].gradient;
        const auto count = static_cast<std::int64_t>(network->layout.trainable_size);
        if (count == 0) {
            continue;
        }
        if (step.gathered > 1) {
            works_.push_back(
                launch_of(Kernel::kScale, count,
                          ScaleWork{.values = reals(gradient),
                                    .count = count,
                                    .factor = static_cast<float>(1 / static_cast<double>(step.gathered))}));
        }
        norm.gradients[norm.count] = reals(gradient);
        norm.sizes[norm.count++] = count;
    }
    works_.push_back(launch_of(Kernel::kNorm, 1, norm));
    works_.back().by_block = true;
    for (std::size_t i = 0; i < step.owned.size(); ++i) {
        step_network(plan, i, number_of(step.owned[i]), at, live);
    }
    changed(kAllSlabs);
    return enqueue_steps();
}

Result<double> Slabs::norm_of(const StageStep& step) {
    double out = 0;
    const double* const at = norm_there(number_of(step.owned.front()));
    Status done = queue_->send();
    done = done ? told(*device_, device_->table.read(device_->table.ctx, &out, at, sizeof out)) : done;
    return done ? Result<double>(out) : Result<double>(std::move(done).error());
}

// The numbers of a step go before it.
Status Slabs::enqueue_steps() {
    Status done = queue_->put(words_);
    for (const Launch& work : works_) {
        done = done ? queue_->add(work) : done;
    }
    words_.clear();
    works_.clear();
    return done;
}

// The network is the i-th that the stage owns.
void Slabs::step_network(const StagePlan& plan, std::size_t i, std::size_t number, const double* norm,
                         std::span<const double> live) {
    const auto& adam = std::get<AdamPlan>(plan.optimiser.rule);
    Network& network = learner_.networks[number];
    const NetworkThere& there = networks_[number];
    ++network.steps;
    const auto count = static_cast<std::int64_t>(network.layout.trainable_size);
    const AdamNumbers<float> numbers = adam_numbers(adam, live, network.steps);
    put_words(words_, &there.numbers->adam, numbers);
    works_.push_back(launch_of(Kernel::kAdam, count,
                               AdamWork{.value = reals(there.live),
                                        .gradient = reals(there.gradient),
                                        .moment1 = reals(there.optimiser_state[0]),
                                        .moment2 = reals(there.optimiser_state[1]),
                                        .used = reinterpret_cast<const std::uint8_t*>(there.used.memory()),
                                        .count = count,
                                        .numbers = &there.numbers->adam,
                                        .decay = adam_decay(adam, live),
                                        .clip_norm = plan.optimiser.clip_norm,
                                        .norm = norm}));
    if (i < plan.targets.size()) {
        move_target(number, plan.targets[i], norm, live);
    }
    if (i < plan.references.size()) {
        move_reference(number, plan.references[i], norm);
    }
}

// When they follow: as update_target and update_reference of compute/parameters.
void Slabs::move_target(std::size_t number, const TargetPlan& plan, const double* norm, std::span<const double> live) {
    Network& network = learner_.networks[number];
    if (network.target.empty() || ++network.since_target < plan.every) {
        return;
    }
    network.since_target = 0;
    if (plan.soft) {
        const float weight[2] = {static_cast<float>(live[plan.tau]), 0.0F};
        put_words(words_, &networks_[number].numbers->weight, weight);
    }
    follow(networks_[number].target, number, plan.soft ? static_cast<std::int64_t>(network.layout.trainable_size) : 0,
           norm);
}

void Slabs::move_reference(std::size_t number, std::int64_t every, const double* norm) {
    Network& network = learner_.networks[number];
    if (network.reference.empty() || every == 0 || ++network.since_reference < every) {
        return;
    }
    network.since_reference = 0;
    follow(networks_[number].reference, number, 0, norm);
}

void Slabs::follow(const Block& follower, std::size_t number, std::int64_t soft, const double* norm) {
    const auto count = static_cast<std::int64_t>(follower.size() / sizeof(float));
    works_.push_back(launch_of(Kernel::kFollow, count,
                               FollowWork{.follower = reals(follower),
                                          .live = reals(networks_[number].live),
                                          .soft = soft,
                                          .count = count,
                                          .weight = &networks_[number].numbers->weight,
                                          .norm = norm}));
}

}  // namespace tenon::compiled::device
