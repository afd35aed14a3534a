// SPDX-License-Identifier: Apache-2.0
// The works of a stage's step: the norm, the optimiser, targets and references.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/device/own_kernels.hpp"
#include "compute/parameters/squares.hpp"
#include "compute/parameters/step_numbers.hpp"
#include "engines/cuda/slabs.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {
namespace {

float* reals(const Block& block) {
    return reinterpret_cast<float*>(block.memory());
}

// The words by which a value is written to the device; the last word may be partly unused.
template <class T>
void put_words(std::vector<PutWord>& words, const void* on_device, const T& value) {
    constexpr std::size_t kWord = sizeof(std::uint64_t);
    constexpr std::size_t kBytes = sizeof(T);
    for (std::size_t at = 0; at < kBytes; at += kWord) {
        PutWord& word = words.emplace_back();
        word.to = reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(const_cast<void*>(on_device)) + at);
        word.value = 0;
        std::memcpy(&word.value, reinterpret_cast<const std::byte*>(&value) + at, std::min(kWord, kBytes - at));
    }
}

SquaresWork squares_of(const DeviceNetwork& network, std::int64_t count) {
    return {.values = reals(network.gradient),
            .count = count,
            .part = static_cast<std::int64_t>(square_part(static_cast<std::size_t>(count))),
            .sums = reinterpret_cast<double*>(network.squares.memory())};
}

bool decays(std::uint32_t weight_decay, std::span<const double> live) {
    return live[weight_decay] != 0;
}

// The tensors of a network; each member of an ensemble has its own.
std::vector<LambTensor> tensors_of(const NetworkLayout& layout) {
    std::vector<LambTensor> out;
    const auto members = static_cast<std::size_t>(layout.members);
    for (const Parameter& parameter : layout.parameters) {
        const std::size_t size = parameter.size / members;
        for (std::size_t member = 0; member < members && parameter.trainable; ++member) {
            out.push_back({.first = static_cast<std::int64_t>(parameter.offset + member * size),
                           .count = static_cast<std::int64_t>(size)});
        }
    }
    return out;
}

}  // namespace

// If the norm is not finite, the works after it do nothing.
Status Slabs::step_stage(const StagePlan& plan, const StageStep& step, std::span<const double> live) {
    const double* const norm = add_norm(step);
    Status done;
    for (std::size_t i = 0; i < step.owned.size() && done; ++i) {
        done = step_network(plan, i, number_of(step.owned[i]), norm, live);
    }
    changed(kAllSlabs);
    return done ? enqueue_steps() : done;
}

// Adds the works of the norm of the mean gradient, and returns its future address.
const double* Slabs::add_norm(const StageStep& step) {
    const DeviceNetwork& first = networks_[number_of(step.owned.front())];
    NormWork norm{};
    norm.norm = first.norms + first.steps;
    for (const Network* network : step.owned) {
        const DeviceNetwork& on_device = networks_[number_of(network)];
        const auto count = static_cast<std::int64_t>(network->layout.trainable_size);
        if (count == 0) {
            continue;
        }
        if (step.gathered > 1) {
            works_.push_back(
                launch_of(Kernel::kScale, count,
                          ScaleWork{.values = reals(on_device.gradient),
                                    .count = count,
                                    .factor = static_cast<float>(1 / static_cast<double>(step.gathered))}));
        }
        norm.gradients[norm.count] = reals(on_device.gradient);
        norm.sizes[norm.count] = count;
        if (on_device.squares.size() > 0) {
            const SquaresWork work = squares_of(on_device, count);
            norm.sums[norm.count] = work.sums;
            norm.sizes[norm.count] = count_of_parts(count, work.part);
            works_.push_back(launch_of(Kernel::kSquares, count, work));
            works_.back().by_block = true;
            works_.back().count = norm.sizes[norm.count];
        }
        ++norm.count;
    }
    works_.push_back(launch_of(Kernel::kNorm, 1, norm));
    works_.back().by_block = true;
    return norm.norm;
}

Result<double> Slabs::norm_of(const StageStep& step) {
    double out = 0;
    const DeviceNetwork& first = networks_[number_of(step.owned.front())];
    const double* const at = first.norms + (first.steps - 1);
    Status done = queue_->send();
    done = done ? told(*device_, device_->table.read(device_->table.ctx, &out, at, sizeof out)) : done;
    return done ? Result<double>(out) : Result<double>(std::move(done).error());
}

// Enqueues the numbers of the steps before the steps.
Status Slabs::enqueue_steps() {
    Status done = queue_->put(words_);
    for (const Launch& work : works_) {
        done = done ? queue_->add(work) : done;
    }
    words_.clear();
    works_.clear();
    return done;
}

// Adds the step of the i-th network that the stage owns.
Status Slabs::step_network(const StagePlan& plan, std::size_t i, std::size_t number, const double* norm,
                           std::span<const double> live) {
    TENON_TRY(std::holds_alternative<LambPlan>(plan.optimiser.rule) ? list_tensors(number) : Status());
    Network& network = learner_.networks[number];
    DeviceNetwork& on_device = networks_[number];
    ++network.steps;
    const Stepping of{.value = reals(on_device.live),
                      .gradient = reals(on_device.gradient),
                      .used = reinterpret_cast<const std::uint8_t*>(on_device.used.memory()),
                      .count = static_cast<std::int64_t>(network.layout.trainable_size),
                      .clip_norm = plan.optimiser.clip_norm,
                      .norm = norm};
    std::visit(
        [&](const auto& rule) {
            put_words(words_, &on_device.present()->adam, step_numbers(rule, live, network.steps));
            add_step(rule, number, of, live);
        },
        plan.optimiser.rule);
    if (i < plan.targets.size()) {
        move_target(number, plan.targets[i], norm, live);
    }
    if (i < plan.references.size()) {
        move_reference(number, plan.references[i], norm);
    }
    ++on_device.steps;
    return {};
}

void Slabs::add_step(const AdamPlan& plan, std::size_t number, const Stepping& of, std::span<const double> live) {
    const DeviceNetwork& on_device = networks_[number];
    works_.push_back(launch_of(Kernel::kAdam, of.count,
                               AdamWork{.of = of,
                                        .moment1 = reals(on_device.optimiser_state[0]),
                                        .moment2 = reals(on_device.optimiser_state[1]),
                                        .numbers = &on_device.present()->adam,
                                        .decay = adam_decay(plan, live)}));
}

void Slabs::add_step(const SgdPlan& plan, std::size_t number, const Stepping& of, std::span<const double> live) {
    const DeviceNetwork& on_device = networks_[number];
    works_.push_back(launch_of(Kernel::kSgd, of.count,
                               SgdWork{.of = of,
                                       .momentum = plan.keeps_momentum ? reals(on_device.optimiser_state[0]) : nullptr,
                                       .numbers = &on_device.present()->sgd,
                                       .kind = !plan.keeps_momentum ? Momentum::kNone
                                               : plan.nesterov      ? Momentum::kNesterov
                                                                    : Momentum::kPlain,
                                       .decays = decays(plan.weight_decay, live) ? 1 : 0}));
}

void Slabs::add_step(const RmspropPlan& plan, std::size_t number, const Stepping& of, std::span<const double> live) {
    const DeviceNetwork& on_device = networks_[number];
    works_.push_back(
        launch_of(Kernel::kRmsprop, of.count,
                  RmspropWork{.of = of,
                              .square = reals(on_device.optimiser_state[0]),
                              .mean = plan.centered ? reals(on_device.optimiser_state[1]) : nullptr,
                              .momentum = plan.keeps_momentum ? reals(on_device.optimiser_state.back()) : nullptr,
                              .numbers = &on_device.present()->rmsprop,
                              .decays = decays(plan.weight_decay, live) ? 1 : 0}));
}

void Slabs::add_step(const LambPlan& /*plan*/, std::size_t number, const Stepping& of,
                     std::span<const double> /*live*/) {
    const DeviceNetwork& on_device = networks_[number];
    const auto* const tensors = reinterpret_cast<const LambTensor*>(on_device.tensors.memory());
    const LambWork work{
        .of = of,
        .moment1 = reals(on_device.optimiser_state[0]),
        .moment2 = reals(on_device.optimiser_state[1]),
        .numbers = &on_device.present()->lamb,
        .tensors = tensors,
        .tensor_count = on_device.tensor_count,
        .rates = reinterpret_cast<float*>(on_device.tensors.memory() +
                                          static_cast<std::size_t>(on_device.tensor_count) * sizeof(LambTensor))};
    works_.push_back(launch_of(Kernel::kLambMove, of.count, work));
    works_.push_back(launch_of(Kernel::kLambRates, of.count, work));
    works_.back().by_block = true;
    works_.back().count = on_device.tensor_count;
    works_.push_back(launch_of(Kernel::kLambValues, of.count, work));
}

Status Slabs::list_tensors(std::size_t number) {
    DeviceNetwork& on_device = networks_[number];
    if (on_device.tensor_count > 0) {
        return {};
    }
    const std::vector<LambTensor> tensors = tensors_of(learner_.networks[number].layout);
    on_device.tensors = TENON_TRY(Block::make(device_, tensors.size() * (sizeof(LambTensor) + sizeof(float))));
    on_device.tensor_count = static_cast<std::int64_t>(tensors.size());
    return on_device.tensors.write(tensors.data(), tensors.size() * sizeof(LambTensor));
}

// Adds the moves of targets and references, at the same updates as update_target and update_reference of
// compute/parameters.
void Slabs::move_target(std::size_t number, const TargetPlan& plan, const double* norm, std::span<const double> live) {
    Network& network = learner_.networks[number];
    if (network.target.empty() || ++network.since_target < plan.every) {
        return;
    }
    network.since_target = 0;
    const DeviceNetwork& on_device = networks_[number];
    if (plan.soft) {
        const float weight[2] = {static_cast<float>(live[plan.tau]), 0.0F};
        put_words(words_, &on_device.present()->weight, weight);
    }
    follow(on_device.target, on_device.live, plan.soft ? static_cast<std::int64_t>(network.layout.trainable_size) : 0,
           norm, &on_device.present()->weight);
}

void Slabs::move_reference(std::size_t number, std::int64_t every, const double* norm) {
    Network& network = learner_.networks[number];
    if (network.reference.empty() || every == 0 || ++network.since_reference < every) {
        return;
    }
    network.since_reference = 0;
    follow(networks_[number].reference, networks_[number].live, 0, norm);
}

void Slabs::follow(const Block& follower, const Block& live, std::int64_t soft, const double* norm,
                   const float* weight) {
    const auto count = static_cast<std::int64_t>(follower.size() / sizeof(float));
    works_.push_back(launch_of(Kernel::kFollow, count,
                               FollowWork{.follower = reals(follower),
                                          .live = reals(live),
                                          .soft = soft,
                                          .count = count,
                                          .weight = weight,
                                          .norm = norm}));
}

Status Slabs::keep_sums(StageStep& step) {
    return copy_sums(step, true);
}

Status Slabs::bring_sums(StageStep& step) {
    return copy_sums(step, false);
}

// Copies between the slabs of gradients and the stage's own memory.
Status Slabs::copy_sums(StageStep& step, bool keeps) {
    using Blocks = std::vector<Block>;
    if (step.on_device == nullptr) {
        auto made = std::make_shared<Blocks>();
        for (const Network* network : step.owned) {
            Block block =
                TENON_TRY(network->gradient.empty() ? Block() : Block::make(device_, network->gradient.size()));
            made->push_back(std::move(block));
        }
        step.on_device = std::move(made);
    }
    const auto& sums = *static_cast<const Blocks*>(step.on_device.get());
    const double* const finite = device_norms() + kStepsOfNetwork * networks_.size();
    for (std::size_t i = 0; i < step.owned.size(); ++i) {
        const Block& gradient = networks_[number_of(step.owned[i])].gradient;
        keeps ? follow(sums[i], gradient, 0, finite) : follow(gradient, sums[i], 0, finite);
    }
    return enqueue_steps();
}

}  // namespace tenon::compiled::device
