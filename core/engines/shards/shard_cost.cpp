// SPDX-License-Identifier: Apache-2.0
#include "engines/shards/shard_cost.hpp"

#include <cmath>
#include <cstddef>

#include "base/data/memory.hpp"
#include "engines/shards/group.hpp"
#include "train/plan/update_device.hpp"

namespace tenon {
namespace {

// Measured on an AMD EPYC.
constexpr double kMessageUs = 100;     // of a message of gradients, however short, and of waiting for a slower process
constexpr double kBytesPerUs = 2'500;  // that are sent and added
constexpr double kUpdateUs = 10;       // of an update, however small
constexpr double kMultiplyAddsPerUs = 30'000;  // of products with their gradients

}  // namespace

SharedCost shared_by(const Wiring& w, const BuiltProgram& program, std::int64_t rows, std::uint64_t shards) {
    return program.exists() ? cost_of(share_rows(program.spec(0), w.real()), static_cast<std::size_t>(rows), shards)
                            : SharedCost();
}

ShardCost shard_cost(const Wiring& w, const ObjectivePlan& plan, std::uint64_t shards) {
    ShardCost out;
    out.is_known = !learns_on_device(w, plan);
    double multiply_adds = 0;  // for one row, with gradients
    for (const StagePlan& stage : plan.stages) {
        for (const std::uint32_t network : stage.owned) {
            const NetworkLayout& layout = w.layouts.networks[network];
            out.bytes += layout.trainable_size * size_of(w.real());
            multiply_adds += 3.0 * static_cast<double>(layout.trainable_size);
            for (const Parameter& parameter : layout.parameters) {
                out.is_known = out.is_known && parameter.shape.size() <= 2;
            }
        }
    }
    out.values = shared_by(w, plan.update, plan.train.minibatch / static_cast<std::int64_t>(shards), shards);
    out.exchange_us = sent_by_each(shards, out.bytes) * (kMessageUs + static_cast<double>(out.bytes) / kBytesPerUs) +
                      sent_by_each(shards, 0) * kMessageUs * static_cast<double>(out.values.messages);
    const double computing = multiply_adds * static_cast<double>(plan.train.minibatch) / kMultiplyAddsPerUs;
    out.all_us = kUpdateUs + computing;
    out.share_us = kUpdateUs + computing / static_cast<double>(shards);
    return out;
}

std::string milliseconds(double us) {
    const double digit = std::pow(10, std::floor(std::log10(us)));
    const double rounded = std::round(us / digit) * digit;
    std::string text = std::to_string(rounded / 1000);
    text.erase(text.find_last_not_of('0') + 1);
    return (text.ends_with('.') ? text + "0" : text) + " ms";
}

}  // namespace tenon
