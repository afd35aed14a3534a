// SPDX-License-Identifier: Apache-2.0
#include "train/collect/parameter_noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/data/state_stream.hpp"
#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "train/plan/schedules.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kMostSteps = 100;  // on which actions are compared

// Half of the range of each element, or 1 if it has no two bounds.
std::vector<double> units_of(const Spec& action) {
    std::vector<double> out(static_cast<std::size_t>(action.shape.elements()), 1);
    for (std::size_t i = 0; i < out.size() && action.kind == SpecKind::kBounded; ++i) {
        const double half = (action.high_of(i) - action.low_of(i)) / 2;
        out[i] = std::isfinite(half) && half > 0 ? half : 1;
    }
    return out;
}

template <class T>
void add_noise(Network& network, double sigma, tn_key key, std::uint64_t number, std::vector<double>& noise) {
    std::memcpy(network.perturbed.data(), network.live.data(), network.live.size());
    const std::uint64_t first = number * (network.layout.trainable_size + network.layout.trainable_size % 2);
    for (const Parameter& parameter : network.layout.parameters) {
        if (!parameter.trainable) {
            continue;
        }
        fill_normal(key, first + parameter.offset, noise.data(), parameter.size);
        T* const out = network.perturbed.as<T>() + parameter.offset;
        for (std::size_t i = 0; i < parameter.size; ++i) {
            out[i] += static_cast<T>(sigma * noise[i]);
        }
    }
}

}  // namespace

Result<ParameterNoise> ParameterNoise::make(const Wiring& wiring, Executor& executor, Learner& learner,
                                            const Storage& storage) {
    ParameterNoise out;
    const ParameterNoiseTable& table = *wiring.manifest.parameter_noise;
    out.learner_ = &learner;
    for (const std::string& role : networks_of(wiring.act.graph)) {
        const Network* const network = learner.find(role);
        for (const Parameter& parameter : network->layout.parameters) {
            out.normals_.resize(std::max(out.normals_.size(), parameter.size));
        }
        out.networks_.push_back(static_cast<std::size_t>(network - learner.networks.data()));
        out.keys_.push_back(make_key(wiring.seed(), "parameter_noise/" + role));
    }
    out.live_sigma_ = static_cast<std::uint32_t>(wiring.live.find("parameter_noise.sigma"));
    out.live_target_ = static_cast<std::uint32_t>(wiring.live.find("parameter_noise.target"));
    out.factor_ = table.factor;
    out.every_ = table.every_frames;
    out.adapts_ = table.target > 0 || schedule_of(wiring.manifest, "parameter_noise.target") != nullptr;
    out.sigma_ = table.sigma;
    out.distance_ = std::numeric_limits<double>::quiet_NaN();
    const BuiltProgram perturbed = with_version(wiring.mode, "perturbed");
    for (auto [program, built] : {std::pair(&out.plain_mode_, &wiring.mode), {&out.noisy_mode_, &perturbed}}) {
        *program = TENON_TRY(brought_in(executor.forward(built->spec(wiring.seed()), learner), wiring.mode.place));
    }
    for (const Port& port : wiring.mode.inputs) {
        out.inputs_.push_back(storage.find(port.key)->view);
    }
    out.input_rows_.resize(out.inputs_.size());
    out.output_rows_.resize(wiring.mode.outputs.size());
    out.metrics_.resize(wiring.mode.graph.metrics.size());
    out.controls_.resize(wiring.mode.graph.controls.size());
    const Spec& spec = *std::ranges::find(wiring.env_specs.specs, Role::kAction, &Spec::role);  // the only one
    const StorageColumn& action = *storage.find(spec.key);
    out.action_ = static_cast<std::size_t>(std::ranges::find(wiring.mode.outputs, spec.key, &Port::key) -
                                           wiring.mode.outputs.begin());
    out.dtype_ = action.dtype;
    out.units_ = units_of(spec);
    out.plain_actions_.resize(row_bytes(action) * storage.lanes());
    out.noisy_actions_.resize(out.plain_actions_.size());
    out.draw(0, table.sigma);
    return out;
}

void ParameterNoise::draw(std::uint64_t number, double sigma) {
    for (std::size_t i = 0; i < networks_.size(); ++i) {
        Network& network = learner_->networks[networks_[i]];
        learner_->real == DType::kF64 ? add_noise<double>(network, sigma, keys_[i], number, normals_)
                                      : add_noise<float>(network, sigma, keys_[i], number, normals_);
    }
}

void ParameterNoise::begin_round(std::int64_t frames, const RunNumbers& numbers) {
    if (is_due(frames)) {
        draw(++draws_, sigma(numbers));
        drawn_at_ = frames;
    }
}

// Measures with the noise of the next draw and the present parameters, so that learning since the last draw does not
// count.
Status ParameterNoise::end_round(const Storage& storage, std::int64_t frames, const RunNumbers& numbers) {
    if (!adapts_ || !is_due(frames)) {
        return {};
    }
    draw(draws_ + 1, sigma_);
    double moved = TENON_TRY(measure(storage, numbers));
    distance_ = moved;
    sigma_ = distance_ > numbers.live[live_target_] ? sigma_ / factor_ : sigma_ * factor_;
    return {};
}

// Over the latest steps: the root mean square distance, or the share of different actions.
Result<double> ParameterNoise::measure(const Storage& storage, const RunNumbers& numbers) {
    const std::uint32_t steps = std::min(storage.ring().live_slots(), kMostSteps);
    double sum = 0;
    std::uint32_t slot = storage.head();
    for (std::uint32_t i = 0; i < steps; ++i, slot = storage.slot_before(slot)) {
        for (auto [program, actions] :
             {std::pair(plain_mode_.get(), &plain_actions_), {noisy_mode_.get(), &noisy_actions_}}) {
            TENON_TRY(act(*program, storage, slot, numbers, *actions));
        }
        sum += moved(storage);
    }
    return is_float(dtype_) ? std::sqrt(sum / steps) : sum / steps;
}

Status ParameterNoise::act(Program& program, const Storage& storage, std::uint32_t slot, const RunNumbers& numbers,
                           std::vector<std::byte>& actions) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        input_rows_[i] = row_at(inputs_[i], slot, 0);
    }
    output_rows_[action_] = actions.data();
    TENON_TRY(program.run({.sizes = {.rows = 0, .time = 0, .lanes = storage.lanes()},
                           .inputs = input_rows_,
                           .outputs = output_rows_,
                           .numbers = numbers,
                           .random = {.counter = draws_},
                           .results = {.metrics = metrics_, .controls = controls_}}));
    return {};
}

// The mean square over lanes and elements; for discrete actions, the share that differs.
double ParameterNoise::moved(const Storage& storage) const {
    const std::size_t size = size_of(dtype_);
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < units_.size() * storage.lanes(); ++i) {
        if (storage.parked()[i / units_.size()] != 0) {
            continue;
        }
        const std::byte* const plain = plain_actions_.data() + i * size;
        const std::byte* const noisy = noisy_actions_.data() + i * size;
        double by = std::memcmp(plain, noisy, size) == 0 ? 0 : 1;
        if (is_float(dtype_)) {
            const auto number = [&](const std::byte* at) {
                return dtype_ == DType::kF64 ? *reinterpret_cast<const double*>(at)
                                             : static_cast<double>(*reinterpret_cast<const float*>(at));
            };
            by = (number(noisy) - number(plain)) / units_[i % units_.size()];
        }
        sum += by * by;
        ++count;
    }
    return sum / std::max(count, 1.0);
}

Status ParameterNoise::save(const tn_writer& writer) const {
    StateSink sink(writer);
    sink.number(sigma_);
    sink.number(distance_);
    sink.number(drawn_at_);
    sink.number(draws_);
    for (const std::size_t index : networks_) {
        const Network& network = learner_->networks[index];
        sink.text(network.layout.role);
        sink.number<std::uint64_t>(network.perturbed.size());
        sink.bytes(network.perturbed.data(), network.perturbed.size());
    }
    return sink.status("the noise on parameters");
}

Status ParameterNoise::load(const tn_reader& reader) {
    StateSource source(reader);
    sigma_ = source.number<double>();
    distance_ = source.number<double>();
    drawn_at_ = source.number<std::int64_t>();
    draws_ = source.number<std::uint64_t>();
    for (const std::size_t index : networks_) {
        const Network& network = learner_->networks[index];
        const bool same =
            source.text() == network.layout.role && source.number<std::uint64_t>() == network.perturbed.size();
        if (!same && !source.failed()) {
            return input_problem("the saved noise is for other networks than those that act");
        }
        source.bytes(network.perturbed.data(), network.perturbed.size());
    }
    return source.status("the noise on parameters");
}

}  // namespace tenon
