// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_parts.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/data/memory.hpp"
#include "base/error/listed.hpp"
#include "config/manifest/shards.hpp"
#include "engines/shards/group.hpp"
#include "engines/shards/shared_graph.hpp"
#include "train/plan/wiring_learning.hpp"

namespace tenon {
namespace {

// Rough figures of one core and of the loopback, measured on an AMD EPYC. `tenon bench cluster` measures a machine.
constexpr double kMessageUs = 100;     // of a message of gradients, however short, and of waiting for a slower process
constexpr double kBytesPerUs = 2'500;  // that are sent and added
constexpr double kUpdateUs = 10;       // of an update, however small
constexpr double kMultiplyAddsPerUs = 30'000;  // of products with their gradients

// One objective's update.
struct Cost {
    std::uint64_t bytes = 0;   // of its gradients
    double multiply_adds = 0;  // for one row, with gradients
    bool is_known = true;      // false: weights are used more often than once a row, as those of a convolution
};

Cost cost_of(const Wiring& w, const ObjectivePlan& plan) {
    Cost out;
    for (const StagePlan& stage : plan.stages) {
        for (const std::uint32_t network : stage.owned) {
            const NetworkLayout& layout = w.layouts.networks[network];
            out.bytes += layout.trainable_size * size_of(w.real());
            out.multiply_adds += 3.0 * static_cast<double>(layout.trainable_size);
            for (const Parameter& parameter : layout.parameters) {
                out.is_known = out.is_known && parameter.shape.size() <= 2;
            }
        }
    }
    return out;
}

std::string kilobytes(double bytes) {
    return std::to_string(std::llround(std::ceil(bytes / 1000)));
}

std::string milliseconds(double us) {
    const double digit = std::pow(10, std::floor(std::log10(us)));
    const double rounded = std::round(us / digit) * digit;
    std::string text = std::to_string(rounded / 1000);
    text.erase(text.find_last_not_of('0') + 1);
    return (text.ends_with('.') ? text + "0" : text) + " ms";
}

SharedCost shared_by(const Wiring& w, const BuiltProgram& program, std::int64_t rows, std::uint64_t shards) {
    return program.exists() ? cost_of(share_rows(program.spec(0), w.real()), static_cast<std::size_t>(rows), shards)
                            : SharedCost();
}

// The values of all rows that shards compute together.
std::string values_of(const Wiring& w, const ObjectivePlan& plan, const SharedCost& update, std::uint64_t shards) {
    std::string out;
    if (update.numbers > 0) {
        out +=
            " Values of all rows, such as batch_mean, are those of all shards: " + std::to_string(8 * update.numbers) +
            " bytes a step" +
            (update.messages == 0
                 ? ", which go with the gradients."
                 : ", in " + counted(update.messages, "message") + " before the gradients and with these.");
    }
    const std::int64_t frames = w.manifest.train.batch / static_cast<std::int64_t>(shards);
    SharedCost batch = shared_by(w, plan.prepare, frames, shards);
    const SharedCost after = shared_by(w, plan.conclude, frames, shards);
    batch.messages += after.messages;
    if (batch.messages > 0) {
        out += " Each collected batch takes " + counted(batch.messages, "message") + " more, of " +
               std::to_string(8 * (batch.numbers + after.numbers)) + " bytes in all.";
    }
    return out;
}

// Beside the time of one process, which needs no exchange.
std::string times_of(const Cost& cost, const SharedCost& values, double rows, std::uint64_t shards) {
    const double exchange =
        sent_by_each(shards, cost.bytes) * (kMessageUs + static_cast<double>(cost.bytes) / kBytesPerUs) +
        sent_by_each(shards, 0) * kMessageUs * static_cast<double>(values.messages);
    std::string out = " On one machine an exchange takes about " + milliseconds(exchange);
    if (!cost.is_known) {
        return out + "; `tenon bench cluster MANIFEST` measures it and the computing of an update.";
    }
    const double all = kUpdateUs + cost.multiply_adds * rows / kMultiplyAddsPerUs;
    const double share = kUpdateUs + (all - kUpdateUs) / static_cast<double>(shards);
    out += ", and computing a shard's part of an update about " + milliseconds(share) + ", instead of " +
           milliseconds(all) + " in one process";
    return out + (share + exchange >= all ? ": more processes make these updates slower. Shards pay where collecting "
                                            "takes most of the time, or with larger minibatches or networks."
                                          : ". `tenon bench cluster MANIFEST` measures both.");
}

}  // namespace

std::string shards_of(const Wiring& w) {
    const auto shards = static_cast<std::uint64_t>(shard_count(w.manifest));
    if (shards == 1) {
        return "";
    }
    const auto share = [&](std::int64_t all) { return all / static_cast<std::int64_t>(shards); };
    const auto rows_of = [&](const ObjectivePlan& plan) { return share(plan.train.minibatch); };
    std::string out = " " + std::to_string(shards) + " processes share this: each has " +
                      counted(share(w.manifest.env.lanes), "lane");
    out += w.objectives.empty() ? "." : " and " + counted(rows_of(w.objectives.front()), "row") + " of each minibatch.";
    out +=
        " Buffers, samplers and orders of rows are each shard's own; gradients, their norm, steps, frames and ends are "
        "those of all.";
    for (const ObjectivePlan& plan : w.objectives) {
        const Cost cost = cost_of(w, plan);
        out += " Before each step of " + plan.unit.component + " each sends " +
               kilobytes(static_cast<double>(cost.bytes) * sent_by_each(shards, cost.bytes)) +
               " kB of gradients and waits for the slowest one.";
        const SharedCost values = shared_by(w, plan.update, rows_of(plan), shards);
        out += values_of(w, plan, values, shards);
        out += times_of(cost, values, static_cast<double>(plan.train.minibatch), shards);
    }
    return out + " Shard 0 evaluates and writes checkpoints, while the others wait.";
}

}  // namespace tenon
